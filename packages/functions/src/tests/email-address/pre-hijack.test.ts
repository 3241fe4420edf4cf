import { createTestApp } from '@floorpass/testing/create-test-app'
import { signIn } from '@floorpass/testing/sign-in'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const openLink = (token: string | undefined) => app.browser().post('/auth/verify-email', { token })
const requestLink = async (email: string) => {
  await app.browser().post('/auth/send-verification-email', { email })
  await app.drainMail()
  return app.outbox.lastTo(email).token
}
const refused = 'INVALID_EMAIL_OR_PASSWORD'

/** Signs up an attacker without the mailbox and then its owner, each with their own password. */
async function createContested() {
  const attacker = await app.signUp()
  const owner = await app.signUp(app.person({ email: attacker.email }))
  const [attackersLink, ownersLink] = app.outbox.to(owner.email).map(({ token }) => token)
  return { attacker, owner, attackersLink, ownersLink, email: owner.email }
}

const cleared = { status: true, user: null, passwordCleared: true }

describe('an email that two people signed up with', () => {
  test.each(['attackersLink', 'ownersLink'] as const)(
    'T81: keeps no password when %s is opened, and a link to set one is mailed',
    async (opened) => {
      const { attacker, owner, email, ...links } = await createContested()
      const answer = await openLink(links[opened])
      expect([answer.status, answer.body]).toEqual([200, cleared])
      expect([(await signIn(app, attacker)).code, (await signIn(app, owner)).code]).toEqual([refused, refused])
      await app.drainMail()
      const mail = app.outbox.lastTo(email)
      expect(mail.subject).toBe('Your Floorpass account needs a new password')
      const reset = await app.browser().post('/auth/reset-password', { token: mail.token, newPassword: 'violet harbor ladder' })
      expect(reset.status).toBe(200)
      expect((await signIn(app, { ...owner, password: 'violet harbor ladder' })).body).toMatchObject({
        user: { emailVerified: true },
      })
    },
  )

  test('T81: keeps no password when a link requested later is opened', async () => {
    const { attacker, owner, email, attackersLink } = await createContested()
    expect((await openLink(await requestLink(email))).body).toEqual(cleared)
    await openLink(attackersLink)
    expect([(await signIn(app, attacker)).code, (await signIn(app, owner)).code]).toEqual([refused, refused])
  })

  test('T81: keeps no password when the attacker signs up last', async () => {
    const owner = await app.signUp()
    const attacker = await app.signUp(app.person({ email: owner.email }))
    expect((await openLink(app.outbox.lastTo(owner.email).token)).body).toEqual(cleared)
    expect([(await signIn(app, attacker)).code, (await signIn(app, owner)).code]).toEqual([refused, refused])
  })

  test('T81: keeps no password when the attacker repeats the first sign-up', async () => {
    const { attacker, email } = await createContested()
    await app.signUp(attacker)
    expect((await openLink(app.outbox.lastTo(email).token)).body).toEqual(cleared)
    expect((await signIn(app, attacker)).code).toBe(refused)
  })

  test('T81: takes name, picture, risk level and language from the sign-up whose link is opened', async () => {
    const email = app.person().email
    const image = 'https://pics.example.test/a.png'
    await app.browser().post('/auth/sign-up/email', { ...app.person({ email }), image, riskLevel: 'aggressive' })
    const owner = app.person({ email })
    await app.browser().post('/auth/sign-up/email', owner, { headers: { 'accept-language': 'fr' } })
    await app.drainMail()
    const mail = app.outbox.lastTo(email)
    expect(mail.subject).toMatch(/^Confirmez/)
    expect((await openLink(mail.token)).status).toBe(200)
    const row = await app.db.user.findUniqueOrThrow({ where: { email } })
    expect(row).toMatchObject({ name: owner.name, image: null, riskLevel: 'conservative', locale: 'fr' })
  })

  test('T81: keeps nothing of either profile when a link of no sign-up is opened', async () => {
    const { email } = app.person()
    const image = 'https://tracker.example.test/p.png'
    await app
      .browser()
      .post('/auth/sign-up/email', { ...app.person({ email }), name: 'Bad Name', image, riskLevel: 'aggressive' })
    await app.signUp(app.person({ email }))
    await app.browser().post('/auth/forget-password', { email })
    await app.drainMail()
    const { token } = app.outbox.lastTo(email)
    expect((await app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' })).status).toBe(200)
    const row = await app.db.user.findUniqueOrThrow({ where: { email } })
    expect(row).toMatchObject({ name: email.split('@')[0], image: null, riskLevel: 'conservative', emailVerified: true })
  })

  test('keeps the password when one person signs up twice with it, even in parallel', async () => {
    const person = await app.signUp()
    await app.signUp(person)
    expect((await openLink(app.outbox.lastTo(person.email).token)).body).toEqual({ status: true, user: null })
    expect((await signIn(app, person)).status).toBe(200)

    const parallel = app.person()
    await Promise.all([1, 2, 3].map(() => app.signUp(parallel)))
    expect((await openLink(app.outbox.lastTo(parallel.email).token)).body).toEqual({ status: true, user: null })
    expect((await signIn(app, parallel)).status).toBe(200)
  })

  test('keeps the password when one person requests another link', async () => {
    const person = await app.signUp()
    await openLink(await requestLink(person.email))
    expect((await signIn(app, person)).status).toBe(200)
    await app.drainMail()
    expect(app.outbox.to(person.email)).toHaveLength(2)
  })

  test('T81: reveals no right password and opens no session before it is verified', async () => {
    const { attacker, owner } = await createContested()
    for (const person of [attacker, owner]) {
      const answer = await signIn(app, person)
      expect([401, 403]).toContain(answer.status)
      expect(answer.setCookies).toEqual([])
    }
    expect(await app.db.session.count({ where: { user: { email: owner.email } } })).toBe(0)
  })

  test('T82: loses the passwords and links of all sign-ups when the owner resets the password', async () => {
    const { attacker, owner, attackersLink, ownersLink, email } = await createContested()
    await app.browser().post('/auth/forget-password', { email })
    await app.drainMail()
    const { token } = app.outbox.lastTo(email)
    expect((await app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' })).status).toBe(200)
    for (const link of [attackersLink, ownersLink]) expect((await openLink(link)).code).toBe('INVALID_TOKEN')
    expect([(await signIn(app, attacker)).code, (await signIn(app, owner)).code]).toEqual([refused, refused])
    expect((await signIn(app, { ...owner, password: 'violet harbor ladder' })).status).toBe(200)
  })

  test('keeps no password when all links are opened in parallel, and one link to set one is mailed', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { attacker, owner, attackersLink, ownersLink, email } = await createContested()
      const requestedLink = await requestLink(email)
      await Promise.all([attackersLink, ownersLink, requestedLink].map(openLink))
      expect([(await signIn(app, attacker)).code, (await signIn(app, owner)).code]).toEqual([refused, refused])
      await app.drainMail()
      expect(app.outbox.to(email).filter(({ subject }) => subject.includes('needs a new password'))).toHaveLength(1)
      expect((await app.db.user.findUniqueOrThrow({ where: { email } })).emailVerified).toBe(true)
    }
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('T177: has the choices of a pending sign-up sealed in its row', async () => {
    const { owner, email } = await createContested()
    const rows = await app.db.verification.findMany({ where: { email } })
    expect(rows).toHaveLength(2)
    for (const { payloadSealed } of rows) expect(payloadSealed).toMatch(/^2\.[\w-]{8}\.[\w-]+$/)
    expect(JSON.stringify(rows)).not.toContain(owner.name)
    expect(JSON.stringify(rows)).not.toContain('$argon2')
  })
})

test('T81: a sign-up counts even when the limit withheld its mail', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })
  const email = 'victim@example.test'
  const attacker = limited.person({ email })
  await limited.signUp(attacker)
  for (const number of [1, 2, 3, 4]) {
    await limited.browser({ ip: `192.0.2.${number}` }).post('/auth/send-verification-email', { email })
  }
  await limited.drainMail()
  const before = limited.outbox.to(email).length
  await limited.browser({ ip: '192.0.2.9' }).post('/auth/sign-up/email', limited.person({ email }))
  await limited.drainMail()
  expect(limited.outbox.to(email)).toHaveLength(before)

  const { token } = limited.outbox.lastTo(email)
  expect((await limited.browser().post('/auth/verify-email', { token })).status).toBe(200)
  const answer = await limited.browser().post('/auth/sign-in/email', attacker)
  expect(answer.code).toBe('INVALID_EMAIL_OR_PASSWORD')
})
