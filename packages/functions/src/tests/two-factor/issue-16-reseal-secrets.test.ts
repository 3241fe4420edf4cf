import { setTimeout as delay } from 'node:timers/promises'
import { createSecretBox, createSecretResealer } from '@floorpass/api'
import type { Database } from '@floorpass/db'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { sealUnbound, testSecret } from '@floorpass/testing/unbound-seal'
import { beforeEach, expect, onTestFinished, test } from 'vitest'

const app = await createTestApp()
const { log, secretBox } = app.service.deps
const { db } = app
const next = 'another secret that only tests know, also long'

beforeEach(async () => {
  await db.twoFactor.deleteMany()
  app.logs.length = 0
})

const resealerWith = (secrets: string[], options: { batchSize?: number; after?: number; db?: Database } = {}) =>
  createSecretResealer({ db, log, secretBox: createSecretBox(secrets), ...options })

/** A person whose factor the version before sealed, and a sign-in of theirs with a code of an authenticator. */
async function withFormerFactor() {
  const clock = holdClock()
  const tab = await app.signedIn()
  const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
  const { userId } = tab
  const former = sealUnbound(authenticator.secret)
  await db.twoFactor.update({ where: { userId }, data: { secretSealed: former } })
  const enter = async ({ code }: { code(): string }) => {
    clock.advance(60)
    const browser = app.browser()
    await browser.post('/auth/sign-in/email', tab.person)
    return browser.post('/auth/two-factor/verify', { code: code() })
  }
  return { userId, former, authenticator, enter }
}

const sealedOf = async (userId: string) => (await db.twoFactor.findUniqueOrThrow({ where: { userId } })).secretSealed
const linesOf = (msg: string) => app.logs.filter((line) => line.msg === msg).map(({ level, count }) => [level, count])

test('binds every secret of the version before to its user, once, whatever the batch and however many work at it', async () => {
  const people = await Promise.all(Array.from({ length: 5 }, withFormerFactor))
  const counts = await Promise.all([1, 2, 500].map((batchSize) => resealerWith([testSecret], { batchSize }).reseal()))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(5)
  expect(await app.service.secretResealer.reseal()).toBe(0)
  for (const { userId, authenticator } of people)
    expect(secretBox.open(await sealedOf(userId), ['two_factors.secret_sealed', userId])).toBe(authenticator.secret)
  for (const { userId } of people) expect(await sealedOf(userId)).toMatch(/^2\./)
  for (const { enter, authenticator } of people) expect((await enter(authenticator)).status).toBe(200)
})

test('T180, T181: after a new AUTH_SECRET every code is still right, and no copy from before opens anything', async () => {
  const [ada, bob] = [await withFormerFactor(), await withFormerFactor()]
  expect(await resealerWith([next, testSecret]).reseal()).toBe(2)
  app.service.deps.secretBox = createSecretBox([next])
  onTestFinished(() => {
    app.service.deps.secretBox = secretBox
  })
  expect((await ada.enter(ada.authenticator)).status).toBe(200)
  expect((await bob.enter(bob.authenticator)).status).toBe(200)
  await db.twoFactor.update({ where: { userId: bob.userId }, data: { secretSealed: ada.former } })
  const answer = await bob.enter(ada.authenticator)
  expect([answer.status, answer.code]).toEqual([401, 'INVALID_CODE'])
})

test('leaves a secret that it cannot open as it is, tells the operator, and goes on with the others', async () => {
  const people = await Promise.all(Array.from({ length: 3 }, withFormerFactor))
  const [lost] = people.toSorted((one, other) => (one.userId < other.userId ? -1 : 1))
  const secretSealed = sealUnbound('GEZDGNBVGY3TQOJQ', 'a secret that is gone')
  await db.twoFactor.update({ where: { userId: lost?.userId ?? '' }, data: { secretSealed } })
  expect(await resealerWith([testSecret], { batchSize: 1 }).reseal()).toBe(2)
  expect(await sealedOf(lost?.userId ?? '')).toBe(secretSealed)
  expect(linesOf('two-factor secrets cannot be opened')).toEqual([[40, 1]])
  expect(linesOf('two-factor secrets resealed')).toEqual([[30, 2]])
})

test('never brings back a secret that was replaced meanwhile', async () => {
  const { userId } = await withFormerFactor()
  const replaced = secretBox.seal('GEZDGNBVGY3TQOJQ', ['two_factors.secret_sealed', userId])
  const overtaken = db.$extends({
    query: {
      twoFactor: {
        async updateMany({ args, query }) {
          await db.twoFactor.update({ where: { userId }, data: { secretSealed: replaced } })
          return query(args)
        },
      },
    },
  }) as unknown as Database
  expect(await resealerWith([testSecret], { db: overtaken }).reseal()).toBe(0)
  expect(await sealedOf(userId)).toBe(replaced)
})

test('begins some time after the start, tries again after a failure, and not after a stop', async () => {
  const { userId, former } = await withFormerFactor()
  let failures = 0
  const flaky = db.$extends({
    query: {
      twoFactor: {
        async findMany({ args, query }) {
          failures += 1
          if (failures === 1) throw new Error('the database is away')
          return query(args)
        },
      },
    },
  }) as unknown as Database
  const stopped = resealerWith([testSecret], { after: 0.1 })
  stopped.start()
  await stopped.stop()
  await delay(300)
  expect(await sealedOf(userId)).toBe(former)

  const resealer = resealerWith([testSecret], { db: flaky, after: 0.1 })
  resealer.start()
  await expect.poll(() => sealedOf(userId), { timeout: 20_000 }).toMatch(/^2\./)
  await resealer.stop()
  expect(linesOf('resealing two-factor secrets failed')).toHaveLength(1)
})
