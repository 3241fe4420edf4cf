import { createSecretBox, createSecretResealer } from '@floorpass/api'
import type { Database } from '@floorpass/db'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { sealUnbound, testSecret } from '@floorpass/testing/unbound-seal'
import { beforeEach, expect, onTestFinished, test } from 'vitest'

const app = await createTestApp()
const { log, secretBox } = app.service.deps
const { db } = app
const nextSecret = 'another secret that only tests know, also long'

beforeEach(async () => {
  await db.twoFactor.deleteMany()
  await db.user.updateMany({ data: { phraseSealed: null } })
  app.logs.length = 0
})

const createResealer = (secrets: string[], options: { batchSize?: number; after?: number; db?: Database } = {}) =>
  createSecretResealer({ db, log, secretBox: createSecretBox(secrets), ...options })

/** Creates a person whose second factor was sealed by the previous version, and returns their sign-in. */
async function createFormerFactor() {
  const clock = holdClock()
  const tab = await app.signedIn()
  const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
  const { userId } = tab
  const former = sealUnbound(authenticator.secret)
  await db.twoFactor.update({ where: { userId }, data: { secretSealed: former } })
  const signInWithCode = async ({ code }: { code(): string }) => {
    clock.advance(60)
    const browser = app.browser()
    await browser.post('/auth/sign-in/email', tab.person)
    return browser.post('/auth/two-factor/verify', { code: code() })
  }
  return { userId, former, authenticator, signInWithCode }
}

const getSealed = async (userId: string) => (await db.twoFactor.findUniqueOrThrow({ where: { userId } })).secretSealed
const getLogLines = (msg: string) =>
  app.logs.filter((line) => line.msg === msg).map(({ level, what, count }) => [level, what, count])

test('binds each secret of the previous version to its user once, with any batch size and parallel runs', async () => {
  const people = await Promise.all(Array.from({ length: 5 }, createFormerFactor))
  const counts = await Promise.all([1, 2, 500].map((batchSize) => createResealer([testSecret], { batchSize }).reseal()))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(5)
  expect(await app.service.secretResealer.reseal()).toBe(0)
  for (const { userId, authenticator } of people)
    expect(secretBox.open(await getSealed(userId), ['two_factors.secret_sealed', userId])).toBe(authenticator.secret)
  for (const { userId } of people) expect(await getSealed(userId)).toMatch(/^2\./)
  for (const { signInWithCode, authenticator } of people) expect((await signInWithCode(authenticator)).status).toBe(200)
})

test('T180, T181: keeps every code valid under a new AUTH_SECRET, and makes former copies unusable', async () => {
  const [ada, bob] = [await createFormerFactor(), await createFormerFactor()]
  expect(await createResealer([nextSecret, testSecret]).reseal()).toBe(2)
  app.service.deps.secretBox = createSecretBox([nextSecret])
  onTestFinished(() => {
    app.service.deps.secretBox = secretBox
  })
  expect((await ada.signInWithCode(ada.authenticator)).status).toBe(200)
  expect((await bob.signInWithCode(bob.authenticator)).status).toBe(200)
  await db.twoFactor.update({ where: { userId: bob.userId }, data: { secretSealed: ada.former } })
  const answer = await bob.signInWithCode(ada.authenticator)
  expect([answer.status, answer.code]).toEqual([401, 'INVALID_CODE'])
})

test('reseals the phrase of a user under a new AUTH_SECRET', async () => {
  const tab = await app.signedIn()
  const { userId } = tab
  const before = await createResealer([nextSecret, testSecret]).reseal()
  await tab.post('/auth/protection/set-phrase', { phrase: 'Blue heron at dawn' })
  expect([before, await createResealer([nextSecret, testSecret]).reseal()]).toEqual([0, 1])
  const { phraseSealed } = await db.user.findUniqueOrThrow({ where: { id: userId } })
  expect(createSecretBox([nextSecret]).open(phraseSealed ?? '', ['users.phrase_sealed', userId])).toBe('Blue heron at dawn')
  expect(getLogLines('sealed values resealed')).toEqual([[30, 'phrases', 1]])
})

test('skips a secret that it cannot open, logs it, and continues with the others', async () => {
  const people = await Promise.all(Array.from({ length: 3 }, createFormerFactor))
  const [lost] = people.toSorted((one, other) => (one.userId < other.userId ? -1 : 1))
  const secretSealed = sealUnbound('GEZDGNBVGY3TQOJQ', 'a secret that is gone')
  await db.twoFactor.update({ where: { userId: lost?.userId ?? '' }, data: { secretSealed } })
  expect(await createResealer([testSecret], { batchSize: 1 }).reseal()).toBe(2)
  expect(await getSealed(lost?.userId ?? '')).toBe(secretSealed)
  expect(getLogLines('sealed values cannot be opened')).toEqual([[40, 'two-factor secrets', 1]])
  expect(getLogLines('sealed values resealed')).toEqual([[30, 'two-factor secrets', 2]])
})

test('keeps a secret that is replaced while it runs', async () => {
  const { userId } = await createFormerFactor()
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
  expect(await createResealer([testSecret], { db: overtaken }).reseal()).toBe(0)
  expect(await getSealed(userId)).toBe(replaced)
})

test('starts after a delay, retries after a failure, and does not run after a stop', async () => {
  const { userId, former } = await createFormerFactor()
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
  let calls = 0
  const watched = db.$extends({
    query: {
      twoFactor: {
        findMany({ args, query }) {
          calls += 1
          return query(args)
        },
      },
    },
  })
  const stopped = createResealer([testSecret], { db: watched as unknown as Database, after: 0.02 })
  stopped.start()
  await stopped.stop()
  expect(await getSealed(userId)).toBe(former)

  // Its first run is due after that of the stopped one.
  const resealer = createResealer([testSecret], { db: flaky, after: 0.1 })
  resealer.start()
  await eventually(async () => expect(await getSealed(userId)).toMatch(/^2\./))
  await resealer.stop()
  expect(calls).toBe(0)
  expect(getLogLines('resealing failed')).toHaveLength(1)
})
