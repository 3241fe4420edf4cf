import { createSigningKeys, type SealedPlace } from '@floorpass/api'
import { createOperator, createWebhook } from '@floorpass/api/administration'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { startOpenIdProvider } from '@floorpass/testing/openid-provider'
import { beginSignIn, signInWithFactor } from '@floorpass/testing/sign-in'
import { signInAt, userIn } from '@floorpass/testing/social-flow'
import { sealUnbound } from '@floorpass/testing/unbound-seal'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'

const google = await startOpenIdProvider('http://localhost:3000/auth/callback/google')
afterAll(() => google.close())
const app = await createTestApp(google.environment)
const { db } = app
const { secretBox, providers } = app.service.deps

const open = (sealed: string | null | undefined, place: SealedPlace) => secretBox.open(sealed ?? '', place)
const assertDoesNotOpen = (sealed: string | null | undefined, place: SealedPlace) =>
  expect(() => open(sealed, place)).toThrow('altered, or sealed for another place')

/** Creates a person with a second factor. `signInLater` leads to the question for its next code. */
async function createFactor() {
  const { tab, clock, ...factor } = await signInWithFactor(app, holdClock())
  const signInLater = () => {
    clock.advance(60)
    return beginSignIn(app, factor.person)
  }
  const row = () => db.twoFactor.findUniqueOrThrow({ where: { userId: factor.userId } })
  return { ...tab, ...factor, signInLater, row }
}

/** Signs a person up without opening the link, with the link's token and row. */
async function signUpWithLink() {
  const { email } = await app.signUp()
  const row = () => db.verification.findFirstOrThrow({ where: { email } })
  return { email, token: app.outbox.lastTo(email).token, row, user: () => db.user.findUnique({ where: { email } }) }
}

/** Leaves two mails in the queue, with a function that sends them. */
async function queueMails() {
  await db.queuedMail.deleteMany()
  app.outbox.failWith(new Error('the server is away'))
  onTestFinished(() => app.outbox.failWith(null))
  const peopleCount = [await app.signUp(), await app.signUp()] as const
  const rows = await db.queuedMail.findMany({ orderBy: { id: 'asc' } })
  return {
    peopleCount,
    rows,
    async send() {
      app.outbox.failWith(null)
      await db.queuedMail.updateMany({ data: { nextAttemptAt: new Date(0) } })
      await app.drainMail()
      return db.queuedMail.findMany()
    },
  }
}

let peopleCount = 0
// The fake provider issues no refresh token.
const provider = providers.get('google')
const identify = provider?.identify
if (!provider || !identify) throw new Error('Google is not configured')
provider.identify = async (...input) => {
  const identity = await identify(...input)
  return { ...identity, tokens: { ...identity.tokens, refreshToken: `refresh ${identity.subject}` } }
}

/** Signs a person up with Google, with a function for their next sign-in. */
async function signInWithGoogle() {
  peopleCount += 1
  const person = { sub: `g-${peopleCount}`, email: `gina-${peopleCount}@example.test`, email_verified: true, name: 'Gina' }
  const signIn = () => {
    google.person = person
    return signInAt(app, 'google')
  }
  const { tab } = await signIn()
  const userId = (await userIn(tab))?.id ?? ''
  const row = () => db.account.findFirstOrThrow({ where: { userId } })
  const place = (kind: 'access' | 'refresh') => [`accounts.${kind}_token_sealed`, 'google', person.sub, userId] as const
  return { userId, signIn, row, place, refreshToken: `refresh ${person.sub}` }
}

type Column = {
  place: SealedPlace
  /** Moves one person's value to another person's row, and asserts that it does not open there. */
  moved(): Promise<void>
  /** Asserts that a value of the previous version still works, and is sealed again. Null for a column that no previous version had. */
  former: (() => Promise<void>) | null
}

/** A rotation moves the sealed keys to the other column. */
const webhookKeys: SealedPlace = ['webhooks.keys_sealed', 'a webhook']
const webhook = { url: 'https://hooks.example.com', types: [], contact: 'desk@example.test', locale: 'en' } as const

const columns: Record<string, Column> = {
  'two_factors.secret_sealed': {
    place: ['two_factors.secret_sealed', 'ada'],
    async moved() {
      const [ada, bob] = [await createFactor(), await createFactor()]
      const { secretSealed } = await ada.row()
      await db.twoFactor.update({ where: { userId: bob.userId }, data: { secretSealed } })
      const tab = await bob.signInLater()
      for (const { authenticator } of [ada, bob]) {
        const answer = await tab.post('/auth/two-factor/verify', { code: authenticator.code() })
        expect([answer.status, answer.code]).toEqual([401, 'INVALID_CODE'])
      }
      expect(await userIn(tab)).toBeNull()
      expect((await bob.row()).secretSealed).toBe(secretSealed)
      expect((await tab.post('/auth/two-factor/verify', { code: bob.backupCodes[0] })).status).toBe(200)
      const err = expect.objectContaining({ message: 'altered, or sealed for another place' })
      const line = expect.objectContaining({ msg: 'two-factor secret cannot be opened', userId: bob.userId, err })
      expect(app.warnings()).toEqual([line, line])
    },
    async former() {
      const ada = await createFactor()
      const secretSealed = sealUnbound(ada.authenticator.secret)
      await db.twoFactor.update({ where: { userId: ada.userId }, data: { secretSealed } })
      const tab = await ada.signInLater()
      expect((await tab.post('/auth/two-factor/verify', { code: ada.authenticator.code() })).status).toBe(200)
      expect(open((await ada.row()).secretSealed, ['two_factors.secret_sealed', ada.userId])).toBe(ada.authenticator.secret)
      expect((await ada.row()).secretSealed).toMatch(/^2\./)
    },
  },
  'signing_keys.private_key_sealed': {
    place: ['signing_keys.private_key_sealed', 'a key'],
    async moved() {
      const { secretBox, log } = app.service.deps
      await app.browser().get('/auth/jwks')
      const [signing, standby] = await db.signingKey.findMany({ orderBy: { signsFrom: 'asc' } })
      const { privateKeySealed = '' } = standby ?? {}
      await db.signingKey.update({ where: { id: signing?.id ?? '' }, data: { privateKeySealed } })
      const { id } = await createSigningKeys({ db, secretBox, log }).current()
      expect([signing?.id, standby?.id]).not.toContain(id)
      expect(app.warnings()).toContainEqual(expect.objectContaining({ msg: 'signing key cannot be opened', keyId: signing?.id }))
    },
    former: null,
  },
  'verifications.payload_sealed': {
    place: ['verifications.payload_sealed', 'verify-email', 'a hash', 'ada'],
    async moved() {
      const [ada, bob] = [await signUpWithLink(), await signUpWithLink()]
      const [from, to] = [await ada.row(), await bob.row()]
      await db.verification.update({ where: { id: to.id }, data: { payloadSealed: from.payloadSealed } })
      const answer = await app.browser().post('/auth/verify-email', { token: bob.token })
      expect([answer.status, answer.code]).toEqual([400, 'INVALID_TOKEN'])
      expect((await bob.user())?.emailVerified).toBe(false)
      // A link that was moved to another user does not work either.
      await db.verification.update({ where: { id: from.id }, data: { userId: to.userId, email: to.email } })
      expect((await app.browser().post('/auth/verify-email', { token: ada.token })).code).toBe('INVALID_TOKEN')
    },
    async former() {
      const ada = await signUpWithLink()
      const { id, payloadSealed, purpose, secretHash, userId } = await ada.row()
      const profile = open(payloadSealed, ['verifications.payload_sealed', purpose, secretHash, userId])
      const former = sealUnbound(JSON.stringify({ ...JSON.parse(profile), name: 'Ada Before' }))
      await db.verification.update({ where: { id }, data: { payloadSealed: former } })
      expect((await app.browser().post('/auth/verify-email', { token: ada.token })).status).toBe(200)
      expect(await ada.user()).toMatchObject({ emailVerified: true, name: 'Ada Before' })
      expect((await ada.row()).usedAt).not.toBeNull()
    },
  },
  'users.phrase_sealed': {
    place: ['users.phrase_sealed', 'ada'],
    async moved() {
      const [ada, bob] = [await app.signedIn(), await app.signedIn()]
      await ada.post('/auth/protection/set-phrase', { phrase: 'Blue heron at dawn' })
      const { phraseSealed } = await db.user.findUniqueOrThrow({ where: { id: ada.userId } })
      await db.user.update({ where: { id: bob.userId }, data: { phraseSealed } })
      expect((await bob.get('/auth/protection/get')).body).toMatchObject({ phrase: null })
      assertDoesNotOpen(phraseSealed, ['users.phrase_sealed', bob.userId])
    },
    former: null,
  },
  ...Object.fromEntries(
    (['keys', 'former_keys'] as const).map((kind): [string, Column] => [
      `webhooks.${kind}_sealed`,
      {
        place: webhookKeys,
        async moved() {
          const create = () => createWebhook(createOperator(app.service.deps, 'grace'), webhook)
          const [one, other] = [await create(), await create()]
          const { keysSealed } = await db.webhook.findUniqueOrThrow({ where: { id: one.id } })
          expect(open(keysSealed, ['webhooks.keys_sealed', one.id])).toContain(one.secret)
          assertDoesNotOpen(keysSealed, ['webhooks.keys_sealed', other.id])
        },
        former: null,
      },
    ]),
  ),
  'queued_mails.mail_sealed': {
    place: ['queued_mails.mail_sealed', 'a row'],
    async moved() {
      const { peopleCount, rows, send } = await queueMails()
      const [from, to] = rows
      await db.queuedMail.update({ where: { id: to?.id ?? '' }, data: { mailSealed: from?.mailSealed ?? '' } })
      expect(await send()).toEqual([expect.objectContaining({ id: to?.id, lastError: 'altered, or sealed for another place' })])
      expect(peopleCount.map(({ email }) => app.outbox.to(email).length)).toEqual([1, 0])
    },
    async former() {
      const { peopleCount, rows, send } = await queueMails()
      for (const { id, mailSealed } of rows)
        await db.queuedMail.update({
          where: { id },
          data: { mailSealed: sealUnbound(open(mailSealed, ['queued_mails.mail_sealed', id])) },
        })
      expect(await send()).toEqual([])
      expect(peopleCount.map(({ email }) => app.outbox.to(email).length)).toEqual([1, 1])
    },
  },
  ...Object.fromEntries(
    (['access', 'refresh'] as const).map((kind): [string, Column] => [
      `accounts.${kind}_token_sealed`,
      {
        place: [`accounts.${kind}_token_sealed`, 'google', 'a subject', 'ada'],
        async moved() {
          const [ada, bob] = [await signInWithGoogle(), await signInWithGoogle()]
          const column = `${kind}TokenSealed` as const
          const moved = (await ada.row())[column]
          await db.account.updateMany({ where: { userId: bob.userId }, data: { [column]: moved } })
          expect(open(moved, ada.place(kind))).not.toBe('')
          assertDoesNotOpen((await bob.row())[column], bob.place(kind))
          await bob.signIn()
          open((await bob.row())[column], bob.place(kind))
        },
        async former() {
          const ada = await signInWithGoogle()
          const column = `${kind}TokenSealed` as const
          await db.account.updateMany({ where: { userId: ada.userId }, data: { [column]: sealUnbound('a former token') } })
          expect(open((await ada.row())[column], ada.place(kind))).toBe('a former token')
          await ada.signIn()
          const sealed = (await ada.row())[column]
          expect(sealed).toMatch(/^2\./)
          const tokens = kind === 'access' ? google.issued : [ada.refreshToken]
          expect(tokens).toContain(open(sealed, ada.place(kind)))
        },
      },
    ]),
  ),
}

test('T180: every sealed column of the database is tested in this file', async () => {
  const sealed = await db.$queryRaw<{ name: string }[]>`
    SELECT table_name || '.' || column_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND column_name LIKE '%\\_sealed'`
  expect(sealed.map(({ name }) => name).sort()).toEqual(Object.keys(columns).sort())
})

describe.each(Object.entries(columns))('the sealed column %s', (name, { place, moved, former }) => {
  test("T180: does not open a value of another person's row", moved)

  if (former) test('opens a value of the previous version, and binds it to its place at the next use', former)

  test('T180: does not open a value of another column', () => {
    for (const other of Object.values(columns).filter((one) => one.place !== place))
      assertDoesNotOpen(secretBox.seal('text', other.place), place)
    expect([place[0], open(secretBox.seal('text', place), place)]).toEqual([name.replace('former_', ''), 'text'])
  })

  test('T180: does not open a bound value as one of the previous version', () => {
    assertDoesNotOpen(secretBox.seal('text', place).replace(/^2/, '1'), place)
    assertDoesNotOpen(sealUnbound('text').replace(/^1/, '2'), place)
  })
})

test('T180: the two tokens of a linked account cannot be swapped', async () => {
  const { row, place } = await signInWithGoogle()
  const { accessTokenSealed, refreshTokenSealed } = await row()
  assertDoesNotOpen(accessTokenSealed, place('refresh'))
  assertDoesNotOpen(refreshTokenSealed, place('access'))
})

test('T180: a pending sign-in does not accept the payload of another sign-in', async () => {
  const [ada, bob] = [await createFactor(), await createFactor()]
  const [, tab] = [await ada.signInLater(), await bob.signInLater()]
  const getChallenge = (userId: string) => db.verification.findFirstOrThrow({ where: { userId, purpose: 'two-factor' } })
  const { payloadSealed } = await getChallenge(ada.userId)
  await db.verification.update({ where: { id: (await getChallenge(bob.userId)).id }, data: { payloadSealed } })
  const answer = await tab.post('/auth/two-factor/verify', { code: bob.authenticator.code() })
  expect([answer.status, answer.code]).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
})

describe('the cookie of a known device', () => {
  const getCounter = (cookie: string | undefined) => JSON.parse(open(cookie, ['known_device'])).marks[0].counter as string
  const signIn = async (tab: Awaited<ReturnType<typeof app.signedIn>>, cookie: string) => {
    const browser = app.browser()
    browser.cookies.set('floorpass_known_device', cookie)
    expect((await browser.post('/auth/sign-in/email', tab.person)).status).toBe(200)
    return browser.cookies.get('floorpass_known_device')
  }

  test('is accepted from the previous version, and is bound at the next sign-in', async () => {
    const tab = await app.signedIn()
    const marks = open(tab.cookies.get('floorpass_known_device'), ['known_device'])
    const renewed = await signIn(tab, sealUnbound(marks))
    expect(renewed).toMatch(/^2\./)
    expect(getCounter(renewed)).toBe(getCounter(tab.cookies.get('floorpass_known_device')))
  })

  test('T180: does not accept a value that was sealed for a row', async () => {
    const tab = await app.signedIn()
    const marks = open(tab.cookies.get('floorpass_known_device'), ['known_device'])
    const renewed = await signIn(tab, secretBox.seal(marks, ['two_factors.secret_sealed', tab.userId]))
    expect(getCounter(renewed)).not.toBe(getCounter(tab.cookies.get('floorpass_known_device')))
  })
})
