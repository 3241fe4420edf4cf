import { createTestApp, type Person } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const follow = (token: string | undefined) => app.browser().post('/auth/verify-email', { token })
const signIn = ({ email, password }: Person) => app.browser().post('/auth/sign-in/email', { email, password })
const askAgain = async (email: string) => {
  await app.browser().post('/auth/send-verification-email', { email })
  await app.mailed()
  return app.outbox.lastTo(email).token
}
const refused = 'INVALID_EMAIL_OR_PASSWORD'

/** Somebody without the mailbox signed up first, with a password of their own; then the owner did. */
async function contested() {
  const attacker = await app.signUp()
  const owner = await app.signUp(app.person({ email: attacker.email }))
  const [attackersLink, ownersLink] = app.outbox.to(owner.email).map(({ token }) => token)
  return { attacker, owner, attackersLink, ownersLink, email: owner.email }
}

const cleared = { status: true, user: null, passwordCleared: true }

describe('an address that two people signed up with', () => {
  test.each(['attackersLink', 'ownersLink'] as const)(
    'T81: when %s is followed no password counts, and a link to choose one is mailed',
    async (followed) => {
      const { attacker, owner, email, ...links } = await contested()
      const answer = await follow(links[followed])
      expect([answer.status, answer.body]).toEqual([200, cleared])
      expect([(await signIn(attacker)).code, (await signIn(owner)).code]).toEqual([refused, refused])
      await app.mailed()
      const mail = app.outbox.lastTo(email)
      expect(mail.subject).toBe('Your Floorpass account needs a new password')
      const reset = await app.browser().post('/auth/reset-password', { token: mail.token, newPassword: 'violet harbor ladder' })
      expect(reset.status).toBe(200)
      expect((await signIn({ ...owner, password: 'violet harbor ladder' })).body).toMatchObject({ user: { emailVerified: true } })
    },
  )

  test('T81: the same with a link that was asked for later, whoever asked', async () => {
    const { attacker, owner, email, attackersLink } = await contested()
    expect((await follow(await askAgain(email))).body).toEqual(cleared)
    await follow(attackersLink)
    expect([(await signIn(attacker)).code, (await signIn(owner)).code]).toEqual([refused, refused])
  })

  test('T81: who signs up last gains no more than who signed up first', async () => {
    const owner = await app.signUp()
    const attacker = await app.signUp(app.person({ email: owner.email }))
    expect((await follow(app.outbox.lastTo(owner.email).token)).body).toEqual(cleared)
    expect([(await signIn(attacker)).code, (await signIn(owner)).code]).toEqual([refused, refused])
  })

  test('T81: a third sign-up with the first password brings it not back', async () => {
    const { attacker, email } = await contested()
    await app.signUp(attacker)
    expect((await follow(app.outbox.lastTo(email).token)).body).toEqual(cleared)
    expect((await signIn(attacker)).code).toBe(refused)
  })

  test('T81: name, picture, risk level and language are those of the sign-up whose link is followed', async () => {
    const email = app.person().email
    const image = 'https://pics.example.test/a.png'
    await app.browser().post('/auth/sign-up/email', { ...app.person({ email }), image, riskLevel: 'aggressive' })
    const owner = app.person({ email })
    await app.browser().post('/auth/sign-up/email', owner, { headers: { 'accept-language': 'fr' } })
    await app.mailed()
    const mail = app.outbox.lastTo(email)
    expect(mail.subject).toMatch(/^Confirmez/)
    expect((await follow(mail.token)).status).toBe(200)
    const row = await app.db.user.findUniqueOrThrow({ where: { email } })
    expect(row).toMatchObject({ name: owner.name, image: null, riskLevel: 'conservative', locale: 'fr' })
  })

  test('T81: by a link that is nobody’s sign-up, nothing of either profile stays', async () => {
    const { email } = app.person()
    const image = 'https://tracker.example.test/p.png'
    await app
      .browser()
      .post('/auth/sign-up/email', { ...app.person({ email }), name: 'Bad Name', image, riskLevel: 'aggressive' })
    await app.signUp(app.person({ email }))
    await app.browser().post('/auth/forget-password', { email })
    await app.mailed()
    const { token } = app.outbox.lastTo(email)
    expect((await app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' })).status).toBe(200)
    const row = await app.db.user.findUniqueOrThrow({ where: { email } })
    expect(row).toMatchObject({ name: email.split('@')[0], image: null, riskLevel: 'conservative', emailVerified: true })
  })

  test('one person who signs up twice with one password keeps it, also at once', async () => {
    const person = await app.signUp()
    await app.signUp(person)
    expect((await follow(app.outbox.lastTo(person.email).token)).body).toEqual({ status: true, user: null })
    expect((await signIn(person)).status).toBe(200)

    const hasty = app.person()
    await Promise.all([1, 2, 3].map(() => app.signUp(hasty)))
    expect((await follow(app.outbox.lastTo(hasty.email).token)).body).toEqual({ status: true, user: null })
    expect((await signIn(hasty)).status).toBe(200)
  })

  test('who signed up once and asked for another link keeps the password', async () => {
    const person = await app.signUp()
    await follow(await askAgain(person.email))
    expect((await signIn(person)).status).toBe(200)
    await app.mailed()
    expect(app.outbox.to(person.email)).toHaveLength(2)
  })

  test('T81: neither knows before the proof whether a password is right for the account, and none gets a session', async () => {
    const { attacker, owner } = await contested()
    for (const person of [attacker, owner]) {
      const answer = await signIn(person)
      expect([401, 403]).toContain(answer.status)
      expect(answer.setCookies).toEqual([])
    }
    expect(await app.db.session.count({ where: { user: { email: owner.email } } })).toBe(0)
  })

  test('T82: a reset by the owner ends the passwords and links of all sign-ups', async () => {
    const { attacker, owner, attackersLink, ownersLink, email } = await contested()
    await app.browser().post('/auth/forget-password', { email })
    await app.mailed()
    const { token } = app.outbox.lastTo(email)
    expect((await app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' })).status).toBe(200)
    for (const link of [attackersLink, ownersLink]) expect((await follow(link)).code).toBe('INVALID_TOKEN')
    expect([(await signIn(attacker)).code, (await signIn(owner)).code]).toEqual([refused, refused])
    expect((await signIn({ ...owner, password: 'violet harbor ladder' })).status).toBe(200)
  })

  test('all links at once: none of the passwords counts, one link to choose one is mailed, and nothing breaks', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { attacker, owner, attackersLink, ownersLink, email } = await contested()
      const asked = await askAgain(email)
      await Promise.all([attackersLink, ownersLink, asked].map(follow))
      expect([(await signIn(attacker)).code, (await signIn(owner)).code]).toEqual([refused, refused])
      await app.mailed()
      expect(app.outbox.to(email).filter(({ subject }) => subject.includes('needs a new password'))).toHaveLength(1)
      expect((await app.db.user.findUniqueOrThrow({ where: { email } })).emailVerified).toBe(true)
    }
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('T177: what a pending sign-up chose is sealed in its row', async () => {
    const { owner, email } = await contested()
    const rows = await app.db.verification.findMany({ where: { email } })
    expect(rows).toHaveLength(2)
    for (const { payloadSealed } of rows) expect(payloadSealed).toMatch(/^2\.[\w-]{8}\.[\w-]+$/)
    expect(JSON.stringify(rows)).not.toContain(owner.name)
    expect(JSON.stringify(rows)).not.toContain('$argon2')
  })
})

test('T81: a sign-up whose mail was withheld by the limit counts all the same', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })
  const email = 'victim@example.test'
  const attacker = limited.person({ email })
  await limited.signUp(attacker)
  for (const number of [1, 2, 3, 4]) {
    await limited.browser({ ip: `192.0.2.${number}` }).post('/auth/send-verification-email', { email })
  }
  await limited.mailed()
  const before = limited.outbox.to(email).length
  await limited.browser({ ip: '192.0.2.9' }).post('/auth/sign-up/email', limited.person({ email }))
  await limited.mailed()
  expect(limited.outbox.to(email)).toHaveLength(before)

  const { token } = limited.outbox.lastTo(email)
  expect((await limited.browser().post('/auth/verify-email', { token })).status).toBe(200)
  const answer = await limited.browser().post('/auth/sign-in/email', attacker)
  expect(answer.code).toBe('INVALID_EMAIL_OR_PASSWORD')
})
