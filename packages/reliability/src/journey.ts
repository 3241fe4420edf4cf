import { generate } from 'otplib'
import { ask, cookiesOf, expectOk, type Mailbox, type Person, signedInPerson, signIn, type Target } from './person.ts'

/** Signs up, verifies the email, signs in, reads the session, changes the password, founds an organization, turns on the second factor
 * and signs in with it. The services at `targets` take the requests in turn. Throws at the first wrong answer. */
export async function runJourney(targets: readonly Target[], mailbox: Mailbox): Promise<Person> {
  let turn = 0
  const next = (): Target => targets[turn++ % targets.length] as Target

  const person = await signedInPerson(next, mailbox)
  let { cookie } = person
  const call = async (path: string, body: Record<string, unknown>) => {
    const reply = expectOk(await ask(next(), 'POST', `/auth${path}`, { body, cookie }))
    if (reply.headers.getSetCookie().some((set) => set.includes('session='))) cookie = cookiesOf(reply)
    return reply
  }
  const readSession = async () => {
    const { body } = expectOk(await ask(next(), 'GET', '/auth/get-session', { cookie }))
    const { email } = (body?.user ?? {}) as { email?: string }
    if (email !== person.email) throw new Error(`get-session shows ${email ?? 'no user'} instead of ${person.email}`)
  }

  await readSession()
  const password = `${person.password} changed`
  await call('/change-password', { currentPassword: person.password, newPassword: password, revokeOtherSessions: true })
  await readSession()
  const slug = person.email.replace(/@.*$/, '')
  await call('/organization/create', { name: 'Ada and partners', slug })
  const { body } = await call('/two-factor/enable', { password })
  const secret = new URL(String(body?.totpURI)).searchParams.get('secret') ?? ''
  const code = (secondsAhead: number) => generate({ secret, epoch: Math.floor(Date.now() / 1000) + secondsAhead })
  await call('/two-factor/verify-totp', { code: await code(0) })
  await readSession()

  const challenge = expectOk(await signIn(next(), { ...person, password }))
  if (challenge.body?.twoFactorRedirect !== true) throw new Error('a sign-in asked for no second factor')
  cookie = cookiesOf(challenge)
  await call('/two-factor/verify-totp', { code: await code(30) })
  await readSession()
  return { ...person, password }
}
