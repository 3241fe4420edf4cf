import { createHash, randomUUID } from 'node:crypto'
import { setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { type Browser, outcome } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { followRedirects } from '@floorpass/testing/follow-redirects'
import { startGitHub } from '@floorpass/testing/github-stand-in'
import { assemble } from '@floorpass/testing/organization'
import { callbackResult, followToCallback, linkAt, urlOf } from '@floorpass/testing/social-flow'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { afterAll, describe, expect, test } from 'vitest'
import { routes } from '../../rest/routes.ts'

const github = await startGitHub('http://localhost:3000/auth/callback/github')
afterAll(() => github.close())
const app = await createTestApp(github.environment)
const minute = 60_000
const day = 24 * 60 * minute
const newPassword = 'violet harbor ladder'
const refused = [403, 'SESSION_NOT_FRESH']

const signInMethods = ['a password', 'a password and a factor', 'a provider only', 'the mailbox only'] as const
type SignInMethod = (typeof signInMethods)[number]

let gitHubId = 7000
/** Sets the person who is signed in at GitHub. */
async function setGitHubPerson(email: string, verified = true) {
  gitHubId += 1
  await github.set({ person: { id: gitHubId, login: `hub${gitHubId}`, emails: [{ email, primary: true, verified }] } })
}

/** Creates an account, thirty days old, with one organization and the given sign-in methods. */
async function createOwner(signInMethod: SignInMethod) {
  const tab = await app.signedIn()
  const { userId, person } = tab
  if (signInMethod === 'a password and a factor') await switchOnTwoFactor(tab, person.password)
  if (signInMethod === 'a provider only') {
    await setGitHubPerson(person.email)
    await linkAt(app, 'github', tab)
  }
  if (!signInMethod.startsWith('a password')) await app.db.account.deleteMany({ where: { userId, providerId: 'credential' } })
  const createdAt = new Date(Date.now() - 30 * day)
  await app.db.user.update({ where: { id: userId }, data: { createdAt, riskLevel: 'moderate' } })
  await app.db.twoFactor.updateMany({ where: { userId }, data: { createdAt, confirmedAt: createdAt } })
  await app.db.backupCode.updateMany({ where: { userId }, data: { createdAt } })
  const organization = await assemble(app, [[tab, 'owner']])
  const { id: invitationId } = await app.db.invitation.create({
    data: {
      organizationId: organization.id,
      email: app.person().email,
      role: 'member',
      secretHash: randomUUID(),
      inviterId: userId,
      expiresAt: new Date(Date.now() + day),
    },
  })
  return { signInMethod, tab, userId, person, organizationId: organization.id, invitationId }
}
type Owner = Awaited<ReturnType<typeof createOwner>>

/** Age of the session and of its last authentication, in milliseconds. */
const ages = {
  'signed in 16 minutes ago': { createdAt: 16 * minute },
  'signed in a day ago': { createdAt: day },
  'signed in a week ago and reauthenticated 16 minutes ago': { createdAt: 7 * day, authenticatedAt: 16 * minute },
} as const
type Age = { createdAt: number; authenticatedAt?: number }

/** Returns a browser that holds only the cookie of one of the owner's sessions. */
async function stealCookie({ userId }: Owner, { createdAt, authenticatedAt }: Age): Promise<Browser> {
  const ago = (time: number) => new Date(Date.now() - time)
  const token = randomUUID()
  await app.db.session.create({
    data: {
      id: createHash('sha256').update(token).digest('base64url'),
      handle: randomUUID(),
      userId,
      remember: true,
      ipAddress: '127.0.0.1',
      userAgent: '',
      createdAt: ago(createdAt),
      ...(authenticatedAt !== undefined && { authenticatedAt: ago(authenticatedAt) }),
      expiresAt: new Date(Date.now() + day),
    },
  })
  const thief = app.browser()
  thief.cookies.set('local-floorpass_session', token)
  return thief
}

const getAccountState = async ({ userId, organizationId }: Owner) => ({
  user: await app.db.user.findUnique({
    where: { id: userId },
    select: {
      email: true,
      emailVerified: true,
      suspendedAt: true,
      tradingEnabled: true,
      riskLevel: true,
      twoFactorEnabled: true,
      unlinkedProviders: true,
    },
  }),
  accounts: await app.db.account.findMany({
    where: { userId },
    orderBy: { id: 'asc' },
    select: { id: true, providerId: true, accountId: true, passwordHash: true },
  }),
  factor: await app.db.twoFactor.findUnique({ where: { userId }, select: { secretSealed: true, confirmedAt: true } }),
  organization: await app.db.member.findFirst({ where: { userId, organizationId }, select: { role: true } }),
  codes: await app.db.backupCode.findMany({ where: { userId }, orderBy: { id: 'asc' } }),
})

type Target = Owner & { accountIds: string[]; thiefEmail: string; handle: string }
type Body = Record<string, unknown>
/** Bodies that a thief can send with only the cookie. `refuses` lists the allowed error codes; without it, any answer is allowed. */
type Attempt = { bodies: (target: Target) => Body[]; refuses?: string[] }

const emptyBody = () => [{}]
const wrongCredentials = [{}, { password: 'a guess' }, { code: '000000' }, { code: 'AAAAA-AAAAA' }]
const wrongCredentialErrors = [
  'VALIDATION_ERROR',
  'INVALID_PASSWORD',
  'CREDENTIAL_ACCOUNT_NOT_FOUND',
  'SESSION_NOT_FRESH',
  'TWO_FACTOR_NOT_ENABLED',
  'INVALID_CODE',
  'INVALID_BACKUP_CODE',
]
const wrongCodeErrors = ['INVALID_CODE', 'INVALID_BACKUP_CODE', 'TOTP_NOT_ENABLED', 'BACKUP_CODES_NOT_ENABLED']
const wrongCodeBodies = () => [{ code: '000000' }, { code: 'AAAAA-AAAAA' }]
const inOrganization =
  (...more: ((target: Target) => Body)[]) =>
  (target: Target) =>
    (more.length > 0 ? more : [() => ({})]).map((body) => ({ organizationId: target.organizationId, ...body(target) }))

/** Every route that changes something needs an entry here. */
const attempts: Record<string, Attempt> = {
  '/admin/ban-user': { bodies: ({ userId }) => [{ userId, banReason: 'by a thief' }], refuses: ['ADMINISTRATOR_ROLE_REQUIRED'] },
  '/admin/unban-user': { bodies: ({ userId }) => [{ userId }], refuses: ['ADMINISTRATOR_ROLE_REQUIRED'] },
  '/admin/create-user': {
    bodies: () => [{ email: 'thief@example.test', name: 'Thief' }],
    refuses: ['ADMINISTRATOR_ROLE_REQUIRED'],
  },
  '/admin/update-user': {
    bodies: ({ userId }) => [{ userId, data: { name: 'Thief' } }],
    refuses: ['ADMINISTRATOR_ROLE_REQUIRED'],
  },
  '/admin/set-role': { bodies: ({ userId }) => [{ userId, role: 'admin' }], refuses: ['ADMINISTRATOR_ROLE_REQUIRED'] },
  '/admin/set-user-password': {
    bodies: ({ userId }) => [{ userId, newPassword: 'velvet harbor anchor 9' }],
    refuses: ['ADMINISTRATOR_ROLE_REQUIRED'],
  },
  '/admin/disable-two-factor': { bodies: ({ userId }) => [{ userId }], refuses: ['ADMINISTRATOR_ROLE_REQUIRED'] },
  '/admin/remove-user': { bodies: ({ userId }) => [{ userId }], refuses: ['ADMINISTRATOR_ROLE_REQUIRED'] },
  '/admin/reject-approval': { bodies: ({ userId }) => [{ approvalId: userId }], refuses: ['ADMINISTRATOR_ROLE_REQUIRED'] },
  '/admin/impersonate-user': {
    bodies: ({ userId }) => [{ userId, reason: 'by a thief' }],
    refuses: ['ADMINISTRATOR_ROLE_REQUIRED'],
  },
  '/admin/stop-impersonating': { bodies: emptyBody, refuses: ['NOT_IMPERSONATING'] },
  '/admin/list-user-sessions': { bodies: ({ userId }) => [{ userId }], refuses: ['ADMINISTRATOR_ROLE_REQUIRED'] },
  '/admin/revoke-user-session': { bodies: ({ handle }) => [{ sessionToken: handle }], refuses: ['ADMINISTRATOR_ROLE_REQUIRED'] },
  '/admin/revoke-user-sessions': { bodies: ({ userId }) => [{ userId }], refuses: ['ADMINISTRATOR_ROLE_REQUIRED'] },
  '/admin/suspend-organization': {
    bodies: inOrganization(() => ({ reason: 'asked by a thief' })),
    refuses: ['ADMINISTRATOR_ROLE_REQUIRED'],
  },
  '/admin/restore-organization': {
    bodies: inOrganization(() => ({ reason: 'asked by a thief' })),
    refuses: ['ADMINISTRATOR_ROLE_REQUIRED'],
  },
  '/admin/change-organization-owner': {
    bodies: inOrganization(({ userId }) => ({ userId, reason: 'asked by a thief' })),
    refuses: ['ADMINISTRATOR_ROLE_REQUIRED'],
  },
  '/admin/retry-refused-mail': { bodies: ({ userId }) => [{ id: userId }], refuses: ['ADMINISTRATOR_ROLE_REQUIRED'] },
  '/admin/drop-refused-mail': { bodies: ({ userId }) => [{ id: userId }], refuses: ['ADMINISTRATOR_ROLE_REQUIRED'] },
  '/admin/revoke-user-api-key': {
    bodies: ({ userId }) => [{ keyId: userId, reason: 'sent by a thief' }],
    refuses: ['ADMINISTRATOR_ROLE_REQUIRED'],
  },
  '/admin/has-permission': { bodies: () => [{ permissions: { user: ['list'] } }] },
  '/name-session': { bodies: ({ handle }) => [{ token: handle, nickname: 'Mine' }] },
  '/sign-in/email': {
    bodies: ({ person: { email } }) => [{ email, password: 'a guess' }],
    refuses: ['INVALID_EMAIL_OR_PASSWORD'],
  },
  '/sign-up/passkey': { bodies: ({ person: { email } }) => [{ name: 'Thief', email }] },
  '/sign-up/email': {
    bodies: ({ person: { email } }) => [{ email, name: 'Thief', password: newPassword, riskLevel: 'aggressive' }],
  },
  '/sign-in/social': { bodies: () => [{ provider: 'github' }] },
  '/sign-out': { bodies: emptyBody },
  '/reauthenticate': {
    bodies: () => [...wrongCredentials, { token: 'a guess' }, { provider: 'github' }, { sendEmail: true }],
  },
  '/revoke-session': { bodies: ({ handle }) => [{ token: handle }] },
  '/revoke-sessions': { bodies: emptyBody },
  '/revoke-other-sessions': { bodies: emptyBody },
  '/forget-password': { bodies: ({ person: { email } }) => [{ email }] },
  '/reset-password': { bodies: () => [{ token: 'a guess', newPassword }], refuses: ['INVALID_TOKEN'] },
  '/change-password': {
    bodies: () => [{ currentPassword: 'a guess', newPassword }],
    refuses: ['INVALID_PASSWORD', 'CREDENTIAL_ACCOUNT_NOT_FOUND'],
  },
  '/set-password': { bodies: () => [{ newPassword }], refuses: ['SESSION_NOT_FRESH'] },
  '/verify-email': { bodies: () => [{ token: 'a guess' }], refuses: ['INVALID_TOKEN'] },
  '/send-verification-email': {
    bodies: ({ person: { email }, thiefEmail }) => [{ email }, { email: thiefEmail }],
    refuses: ['EMAIL_ALREADY_VERIFIED', 'EMAIL_MISMATCH'],
  },
  '/change-email': { bodies: ({ thiefEmail }) => [{ newEmail: thiefEmail }], refuses: ['SESSION_NOT_FRESH'] },
  '/undo-email-change': { bodies: () => [{ token: 'a guess' }], refuses: ['INVALID_TOKEN'] },
  '/update-user': {
    bodies: ({ thiefEmail }) => [
      { tradingEnabled: true },
      { riskLevel: 'aggressive' },
      { tradingEnabled: true, riskLevel: 'conservative', name: 'Thief' },
      { tradingEnabled: false, riskLevel: 'aggressive' },
      { twoFactorEnabled: false },
      { emailVerified: false },
      { passwordHash: 'a hash' },
      { email: thiefEmail },
      { tradingEnabled: true, authenticatedAt: new Date() },
    ],
    refuses: ['SESSION_NOT_FRESH', 'FIELD_NOT_ALLOWED', 'EMAIL_CAN_NOT_BE_UPDATED'],
  },
  '/set-picture': { bodies: () => [{ picture: 'any' }] },
  '/take-provider-picture': { bodies: () => [{ providerId: 'github' }] },
  '/remove-picture': { bodies: emptyBody },
  '/delete-user': {
    bodies: () => [{}, { token: 'a guess' }, { password: 'a guess' }, { password: 'a guess', token: 'a guess' }],
    refuses: ['SESSION_NOT_FRESH', 'INVALID_PASSWORD', 'CREDENTIAL_ACCOUNT_NOT_FOUND'],
  },
  '/link-social-account': { bodies: () => [{ provider: 'github' }], refuses: ['SESSION_NOT_FRESH'] },
  '/unlink-account': {
    bodies: ({ accountIds }) => [
      { providerId: 'github' },
      { providerId: 'credential' },
      ...accountIds.map((accountId) => ({ accountId })),
    ],
    refuses: ['SESSION_NOT_FRESH'],
  },
  '/passkey/verify-registration': {
    bodies: () => {
      const response = createSoftwareAuthenticator().register({ challenge: 'guess', rp: {}, user: { id: 'x' } })
      return [{ response }, { response, createSession: true }]
    },
    refuses: ['SESSION_NOT_FRESH', 'CHALLENGE_NOT_FOUND'],
  },
  '/passkey/verify-authentication': { bodies: emptyBody, refuses: ['VALIDATION_ERROR'] },
  '/passkey/update-passkey': { bodies: () => [{ id: randomUUID(), name: 'Mine' }], refuses: ['PASSKEY_NOT_FOUND'] },
  '/passkey/delete-passkey': { bodies: () => [{ id: randomUUID() }], refuses: ['SESSION_NOT_FRESH'] },
  '/api-key/create': { bodies: () => [{}, { permissions: { withdrawal: ['create'] } }], refuses: ['SESSION_NOT_FRESH'] },
  '/api-key/update': { bodies: () => [{ keyId: randomUUID(), enabled: true }], refuses: ['KEY_NOT_FOUND'] },
  '/api-key/delete': { bodies: () => [{ keyId: randomUUID() }], refuses: ['KEY_NOT_FOUND'] },
  '/api-key/report': { bodies: () => [{ key: 'a guess' }] },
  '/protection/lock': { bodies: () => [{ days: 7 }], refuses: ['PASSKEY_REQUIRED'] },
  '/protection/request-unlock': { bodies: emptyBody, refuses: ['ACCOUNT_NOT_LOCKED'] },
  '/protection/cancel-unlock': { bodies: emptyBody, refuses: ['ACCOUNT_NOT_LOCKED'] },
  '/protection/unlock-with-key': { bodies: () => [{ key: 'a guess' }], refuses: ['ACCOUNT_NOT_LOCKED'] },
  '/protection/lift-hold': { bodies: emptyBody, refuses: ['ACCOUNT_NOT_HELD', 'PASSKEY_REQUIRED'] },
  '/protection/set-phrase': { bodies: () => [{ phrase: 'Mine' }], refuses: ['SESSION_NOT_FRESH'] },
  '/protection/undo-panic': { bodies: emptyBody, refuses: ['PANIC_NOT_FOUND'] },
  '/panic': { bodies: () => [{ token: 'a guess' }], refuses: ['INVALID_TOKEN'] },
  '/allow-list/add': { bodies: () => [{ kind: 'wallet', value: 'mine' }], refuses: ['SESSION_NOT_FRESH'] },
  '/allow-list/remove': { bodies: () => [{ id: randomUUID() }], refuses: ['ALLOW_LIST_ENTRY_NOT_FOUND'] },
  '/allow-list/set-enabled': { bodies: () => [{ enabled: false }], refuses: ['SESSION_NOT_FRESH'] },
  '/confirmation/create': {
    bodies: () => [{}, { authorization_details: [{ type: 'withdrawal', amount: '1' }], audience: app.baseUrl }],
  },
  '/confirmation/approve': {
    bodies: () => [{ id: randomUUID() }, { id: randomUUID(), code: '000000' }],
    refuses: ['CONFIRMATION_NOT_FOUND'],
  },
  '/confirmation/reject': { bodies: () => [{ id: randomUUID() }], refuses: ['CONFIRMATION_NOT_FOUND'] },
  '/organization/create': { bodies: () => [{ name: 'Desk', slug: randomUUID() }] },
  '/organization/update': { bodies: inOrganization(() => ({ data: { name: 'Changed' } })) },
  '/organization/delete': { bodies: inOrganization(), refuses: ['SESSION_NOT_FRESH'] },
  '/organization/member/add': { bodies: inOrganization(() => ({ userId: randomUUID(), role: 'owner' })) },
  '/organization/member/remove': { bodies: inOrganization(({ person }) => ({ memberIdOrEmail: person.email })) },
  '/organization/member/update-role': { bodies: inOrganization(({ userId }) => ({ memberId: userId, role: 'member' })) },
  '/organization/check-slug': { bodies: () => [{ slug: randomUUID() }] },
  '/organization/set-active': { bodies: inOrganization() },
  '/organization/leave': { bodies: inOrganization() },
  '/organization/has-permission': { bodies: inOrganization(() => ({ permissions: { organization: ['delete'] } })) },
  '/organization/invite-member': { bodies: inOrganization(({ thiefEmail: email }) => ({ email, role: 'member' })) },
  '/organization/accept-membership': { bodies: inOrganization() },
  '/organization/accept-invitation': { bodies: ({ invitationId }) => [{ invitationId }] },
  '/organization/reject-invitation': { bodies: ({ invitationId }) => [{ invitationId }] },
  '/organization/cancel-invitation': { bodies: ({ invitationId }) => [{ invitationId }] },
  '/two-factor/enable': {
    bodies: () => [...wrongCredentials, { method: 'passkey' }],
    refuses: [...wrongCredentialErrors, 'SESSION_NOT_FRESH'],
  },
  '/two-factor/disable': { bodies: () => wrongCredentials, refuses: wrongCredentialErrors },
  '/two-factor/generate-backup-codes': { bodies: () => wrongCredentials, refuses: wrongCredentialErrors },
  '/two-factor/get-totp-uri': { bodies: () => wrongCredentials, refuses: wrongCredentialErrors },
  '/two-factor/verify': { bodies: wrongCodeBodies, refuses: wrongCodeErrors },
  '/two-factor/verify-totp': { bodies: wrongCodeBodies, refuses: wrongCodeErrors },
  '/two-factor/verify-backup-code': { bodies: wrongCodeBodies, refuses: wrongCodeErrors },
  '/two-factor/send-otp': { bodies: emptyBody, refuses: ['OTP_NOT_CONFIGURED'] },
  '/two-factor/verify-otp': { bodies: () => [{ code: '000000' }], refuses: ['OTP_NOT_CONFIGURED'] },
  '/two-factor/view-backup-codes': { bodies: ({ userId }) => [{ userId }], refuses: ['BACKUP_CODES_SHOWN_ONCE'] },
  '/two-factor/revoke-trusted-device': { bodies: () => [{ id: randomUUID() }] },
}

/** No cookie opens a route for other services. */
const mutatingRoutes = routes.filter(({ method, access }) => method === 'POST' && access !== 'service')
const cases = signInMethods.flatMap((signInMethod) =>
  Object.entries(ages).map(([name, age]) => ({ signInMethod, age: age as Age, name })),
)
const owners = await Promise.all(
  signInMethods.map(async (signInMethod) => [signInMethod, await createOwner(signInMethod)] as const),
).then((all) => new Map(all))

const getBody = async (thief: Browser, path: string) => (await thief.get(`/auth/${path}`)).body
const isFresh = async (thief: Browser) => (await thief.get('/auth/export-data')).status === 200

test('every route that changes something has an attempt in this file', () => {
  expect(Object.keys(attempts).sort()).toEqual(mutatingRoutes.map(({ path }) => path).sort())
})

describe('a thief who holds only a cookie without a recent authentication', () => {
  test.each(mutatingRoutes.map(({ path }) => path))('T47: takes and destroys nothing with %s', async (path) => {
    const { bodies, refuses }: Attempt = attempts[path] ?? { bodies: emptyBody, refuses: [] }
    for (const { signInMethod, age, name } of cases) {
      const owner = owners.get(signInMethod)
      if (!owner) throw new Error(`no owner with ${signInMethod}`)
      await app.db.twoFactor.updateMany({ where: { userId: owner.userId }, data: { failedAttempts: 0, lockedUntil: null } })
      await app.db.account.updateMany({ where: { userId: owner.userId }, data: { knownGuesses: 0, unknownGuesses: 0 } })
      const before = await getAccountState(owner)
      const first = await stealCookie(owner, age)
      const { session } = (await getBody(first, 'get-session')) as { session: { token: string } }
      const accounts = (await getBody(first, 'list-accounts')) as { id: string; accountId: string }[]
      const accountIds = accounts.flatMap(({ id, accountId }) => [id, accountId])
      const target = { ...owner, accountIds, thiefEmail: app.person().email, handle: session.token }
      const thieves = [first]
      for (const body of bodies(target)) {
        const thief = await stealCookie(owner, age)
        thieves.push(thief)
        const { status, code = 'none' } = await thief.post(`/auth${path}`, body)
        const seen = {
          signInMethod,
          name,
          body,
          code: refuses?.includes(code) || !refuses ? 'expected' : code,
          failed: status >= 500,
        }
        expect(seen).toEqual({ signInMethod, name, body, code: 'expected', failed: false })
      }
      expect([signInMethod, name, await getAccountState(owner)]).toEqual([signInMethod, name, before])
      for (const thief of thieves) expect([signInMethod, name, await isFresh(thief)]).toEqual([signInMethod, name, false])
      await app.drainMail()
      if (!path.startsWith('/organization'))
        expect([signInMethod, name, app.outbox.to(target.thiefEmail)]).toEqual([signInMethod, name, []])
    }
    expect(app.warnings()).toEqual([])
  })
})

// The table above tries every age.
describe.each(cases.filter(({ name }) => name === 'signed in 16 minutes ago'))(
  'a thief with the cookie of an account with $signInMethod, $name,',
  ({ signInMethod, age }) => {
    /** Runs `work` as a thief against a new account, and asserts that the account does not change. */
    const attack = async (work: (thief: Browser, owner: Owner) => Promise<void>) => {
      const owner = await createOwner(signInMethod)
      const before = await getAccountState(owner)
      await work(await stealCookie(owner, age), owner)
      expect(await getAccountState(owner)).toEqual(before)
      await app.drainMail()
      return owner
    }

    test('cannot move the account to their own email', async () => {
      const thiefEmail = app.person().email
      await attack(async (thief) => {
        expect(outcome(await thief.post('/auth/change-email', { newEmail: thiefEmail }))).toEqual(refused)
      })
      expect(app.outbox.to(thiefEmail)).toEqual([])
    })

    test("cannot delete the account, request the deletion link or use the owner's link", async () => {
      const owner = await attack(async (thief, { tab, person }) => {
        expect(outcome(await thief.post('/auth/delete-user'))).toEqual(refused)
        expect(outcome(await tab.post('/auth/delete-user'))).toEqual([200, undefined])
        await app.drainMail()
        const { token } = app.outbox.lastTo(person.email)
        expect(outcome(await thief.post('/auth/delete-user', { token }))).toEqual(refused)
      })
      expect(app.outbox.to(owner.person.email).filter(({ link }) => link.pathname === '/delete-account')).toHaveLength(1)
    })

    test('cannot link their own identity or use it to reauthenticate', async () => {
      await attack(async (thief) => {
        const { email } = app.person()
        await setGitHubPerson(email)
        expect(outcome(await thief.post('/auth/link-social', { provider: 'github' }))).toEqual(refused)
        const start = await thief.post('/auth/reauthenticate', { provider: 'github' })
        if (signInMethod === 'a provider only') {
          const back = await thief.get(await followRedirects(urlOf(start).href, app.baseUrl))
          expect(callbackResult(back)).toEqual([302, '/reauthenticate?error=different_account'])
        } else expect(outcome(start)).toEqual([400, 'ACCOUNT_NOT_FOUND'])
        expect(await isFresh(thief)).toBe(false)
        // This sign-in opens the thief's own account.
        expect(callbackResult(await thief.get(await followToCallback(app, thief, 'github')))).toEqual([302, '/dashboard'])
        expect(await getBody(thief, 'get-session')).toMatchObject({ user: { email } })
      })
    })

    test('cannot start a second factor, or confirm or read a set-up that the owner started', async () => {
      await attack(async (thief) => {
        expect((await thief.post('/auth/two-factor/enable')).status).not.toBe(200)
        expect((await thief.post('/auth/two-factor/get-totp-uri')).status).not.toBe(200)
      })
      if (signInMethod === 'a password and a factor') return
      const owner = await createOwner(signInMethod)
      await setUpTwoFactor(owner.tab, signInMethod === 'a password' ? owner.person.password : undefined)
      const before = await getAccountState(owner)
      const thief = await stealCookie(owner, age)
      for (const path of ['get-totp-uri', 'enable']) expect((await thief.post(`/auth/two-factor/${path}`)).status).not.toBe(200)
      expect((await thief.post('/auth/two-factor/verify', { code: '000000' })).code).toBe('INVALID_CODE')
      expect(await getAccountState(owner)).toEqual(before)
    })

    test("cannot redirect a reauthentication link away from the owner's mailbox", async () => {
      const links = () => app.outbox.mails.filter(({ text }) => text.includes('/reauthenticate?token=')).map(({ to }) => to)
      const before = links().length
      const owner = await attack(async (thief) => {
        const asked = outcome(await thief.post('/auth/reauthenticate', { sendEmail: true }))
        expect(asked).toEqual(
          signInMethod === 'the mailbox only' ? [200, undefined] : [400, 'REAUTHENTICATION_METHOD_NOT_AVAILABLE'],
        )
        expect(await isFresh(thief)).toBe(false)
      })
      expect(links().slice(before)).toEqual(signInMethod === 'the mailbox only' ? [owner.person.email] : [])
    })

    test('loses the session when the owner reauthenticates', async () => {
      const owner = await createOwner(signInMethod)
      const thief = await stealCookie(owner, age)
      const own = app.browser()
      own.cookies.set('local-floorpass_session', thief.cookies.get('local-floorpass_session') ?? '')
      if (signInMethod === 'a password' || signInMethod === 'a password and a factor') {
        expect((await own.post('/auth/reauthenticate', { password: owner.person.password })).status).toBe(200)
      } else if (signInMethod === 'a provider only') {
        await own.get(
          await followRedirects(urlOf(await own.post('/auth/reauthenticate', { provider: 'github' })).href, app.baseUrl),
        )
      } else {
        await own.post('/auth/reauthenticate', { sendEmail: true })
        await app.drainMail()
        await own.post('/auth/reauthenticate', { token: app.outbox.lastTo(owner.person.email).token })
      }
      expect([await isFresh(own), await getBody(thief, 'get-session')]).toEqual([true, null])
    })

    test('can still make the money settings safer and change the name', async () => {
      const owner = await createOwner(signInMethod)
      await app.db.user.update({ where: { id: owner.userId }, data: { tradingEnabled: true } })
      const thief = await stealCookie(owner, age)
      const body = { tradingEnabled: false, riskLevel: 'conservative', name: 'Changed' }
      expect((await thief.post('/auth/update-user', body)).status).toBe(200)
      expect((await getAccountState(owner)).user).toMatchObject({ tradingEnabled: false, riskLevel: 'conservative' })
    })
  },
)

describe('a cached session', () => {
  test.each(['created_at', 'authenticated_at'])(
    'loses its recent authentication when %s changes in the database',
    async (column) => {
      const tab = await app.signedIn()
      expect((await tab.post('/auth/reauthenticate', { password: tab.person.password })).status).toBe(200)
      expect([await isFresh(tab), await isFresh(tab)]).toEqual([true, true])
      const old = new Date(Date.now() - 16 * minute)
      const at = { userId: tab.userId }
      await app.db.session.updateMany({
        where: at,
        data: column === 'created_at' ? { createdAt: old, authenticatedAt: null } : { authenticatedAt: old },
      })
      expect(await isFresh(tab)).toBe(false)
    },
  )
})

/** A stolen cookie of a just-authenticated session is an accepted risk: docs/gaps.md. */
describe.each(signInMethods)(
  'a thief with the cookie of a session that just signed in, of an account with %s,',
  (signInMethod) => {
    const fresh: Age = { createdAt: minute }

    test('can change the email, but the former email can undo it and removes what the thief added', async () => {
      const owner = await createOwner(signInMethod)
      const { userId, person, organizationId } = owner
      const { factor } = await getAccountState(owner)
      const thief = await stealCookie(owner, fresh)
      const thiefEmail = app.person().email
      expect((await thief.post('/auth/change-email', { newEmail: thiefEmail })).status).toBe(200)
      await app.drainMail()
      expect((await thief.post('/auth/verify-email', { token: app.outbox.lastTo(thiefEmail).token })).status).toBe(200)
      await app.drainMail()
      const undo = app.outbox.lastTo(person.email)
      expect(undo.link.pathname).toBe('/undo-email-change')

      if (!signInMethod.startsWith('a password')) {
        const { authenticator } = await setUpTwoFactor(thief)
        expect((await thief.post('/auth/two-factor/verify', { code: authenticator.code() })).status).toBe(200)
        expect((await thief.post('/auth/set-password', { newPassword })).status).toBe(200)
      }
      if (signInMethod !== 'a provider only') {
        await setGitHubPerson(thiefEmail)
        await linkAt(app, 'github', thief)
        expect(await app.db.account.count({ where: { userId, providerId: 'github' } })).toBe(1)
      }
      const recentlyChanged = [403, 'EMAIL_RECENTLY_CHANGED']
      const known = signInMethod.startsWith('a password') ? person.password : newPassword
      for (const body of [{}, { password: known }])
        expect(outcome(await thief.post('/auth/delete-user', body))).toEqual(recentlyChanged)

      expect(outcome(await app.browser().post('/auth/undo-email-change', { token: undo.token }))).toEqual([200, undefined])
      expect(await getBody(thief, 'get-session')).toBeNull()
      const after = await getAccountState(owner)
      expect([after.user?.email, after.user?.emailVerified, after.factor]).toEqual([person.email, true, factor])
      expect(
        after.accounts.filter(({ providerId, passwordHash }) => providerId !== 'credential' || passwordHash !== null),
      ).toEqual([])
      expect(await app.db.member.count({ where: { userId, organizationId, role: 'owner' } })).toBe(1)
      await app.drainMail()
      const { token } = app.outbox.lastTo(person.email)
      expect(outcome(await app.browser().post('/auth/reset-password', { token, newPassword }))).toEqual([200, undefined])
      const { body } = await app.browser().post('/auth/sign-in/email', { email: person.email, password: newPassword })
      expect(body).toMatchObject(factor === null ? { user: { id: userId } } : { twoFactorRedirect: true })
    })
  },
)
