import { createHash, randomUUID } from 'node:crypto'
import { setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { followRedirects } from '@floorpass/testing/follow-redirects'
import { startGitHub } from '@floorpass/testing/github-stand-in'
import { assemble, outcome } from '@floorpass/testing/organization'
import { landing, linkAt, urlOf, wayBack } from '@floorpass/testing/social-flow'
import { afterAll, describe, expect, test } from 'vitest'
import { routes } from '../../rest/routes.ts'

const github = await startGitHub('http://localhost:3000/auth/callback/github')
afterAll(() => github.close())
const app = await createTestApp(github.environment)
const minute = 60_000
const day = 24 * 60 * minute
const newPassword = 'violet harbor ladder'
const refused = [403, 'SESSION_NOT_FRESH']

const ways = ['a password', 'a password and a factor', 'a provider only', 'the mailbox only'] as const
type Way = (typeof ways)[number]

let hubs = 7000
/** Who sits at GitHub from now on. */
async function sitAtGitHub(email: string, verified = true) {
  hubs += 1
  await github.set({ person: { id: hubs, login: `hub${hubs}`, emails: [{ email, primary: true, verified }] } })
}

/** An account of thirty days, with these ways to prove who its owner is, and an organization. */
async function newOwner(way: Way) {
  const tab = await app.signedIn()
  const { userId, person } = tab
  if (way === 'a password and a factor') await switchOnTwoFactor(tab, person.password)
  if (way === 'a provider only') {
    await sitAtGitHub(person.email)
    await linkAt(app, 'github', tab)
  }
  if (!way.startsWith('a password')) await app.db.account.deleteMany({ where: { userId, providerId: 'credential' } })
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
  return { way, tab, userId, person, organizationId: organization.id, invitationId }
}
type Owner = Awaited<ReturnType<typeof newOwner>>

/** How old the session and its last proof are, in milliseconds. */
const ages = {
  'signed in 16 minutes ago': { createdAt: 16 * minute },
  'signed in a day ago': { createdAt: day },
  'signed in a week ago and reauthenticated 16 minutes ago': { createdAt: 7 * day, authenticatedAt: 16 * minute },
} as const
type Age = { createdAt: number; authenticatedAt?: number }

/** A thief's browser: the cookie of one of the owner's sessions, and nothing else. */
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
  thief.cookies.set('floorpass_session', token)
  return thief
}

/** What the owner must not lose: the account, the address, the ways to sign in, the factor, the money settings and the organization. */
const belongings = async ({ userId, organizationId }: Owner) => ({
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
/** Every body that a thief can fill from the cookie alone. `refuses`: the codes of all answers; without it any answer will do. */
type Attempt = { bodies: (target: Target) => Body[]; refuses?: string[] }

const nothing = () => [{}]
const wrongProofs = [{}, { password: 'a guess' }, { code: '000000' }, { code: 'AAAAA-AAAAA' }]
const wrongProof = [
  'VALIDATION_ERROR',
  'INVALID_PASSWORD',
  'CREDENTIAL_ACCOUNT_NOT_FOUND',
  'SESSION_NOT_FRESH',
  'TWO_FACTOR_NOT_ENABLED',
  'INVALID_CODE',
  'INVALID_BACKUP_CODE',
]
const wrongCode = ['INVALID_CODE', 'INVALID_BACKUP_CODE', 'TOTP_NOT_ENABLED', 'BACKUP_CODES_NOT_ENABLED']
const wrongCodes = () => [{ code: '000000' }, { code: 'AAAAA-AAAAA' }]
const inOrganization =
  (...more: ((target: Target) => Body)[]) =>
  (target: Target) =>
    (more.length > 0 ? more : [() => ({})]).map((body) => ({ organizationId: target.organizationId, ...body(target) }))

/** One entry for each route that changes something. A new route needs a new entry here. */
const attempts: Record<string, Attempt> = {
  '/sign-in/email': {
    bodies: ({ person: { email } }) => [{ email, password: 'a guess' }],
    refuses: ['INVALID_EMAIL_OR_PASSWORD'],
  },
  '/sign-up/email': {
    bodies: ({ person: { email } }) => [{ email, name: 'Thief', password: newPassword, riskLevel: 'aggressive' }],
  },
  '/sign-in/social': { bodies: () => [{ provider: 'github' }] },
  '/sign-out': { bodies: nothing },
  '/reauthenticate': {
    bodies: () => [...wrongProofs, { token: 'a guess' }, { provider: 'github' }, { sendEmail: true }],
  },
  '/revoke-session': { bodies: ({ handle }) => [{ token: handle }] },
  '/revoke-sessions': { bodies: nothing },
  '/revoke-other-sessions': { bodies: nothing },
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
  '/two-factor/enable': { bodies: () => wrongProofs, refuses: wrongProof },
  '/two-factor/disable': { bodies: () => wrongProofs, refuses: wrongProof },
  '/two-factor/generate-backup-codes': { bodies: () => wrongProofs, refuses: wrongProof },
  '/two-factor/get-totp-uri': { bodies: () => wrongProofs, refuses: wrongProof },
  '/two-factor/verify': { bodies: wrongCodes, refuses: wrongCode },
  '/two-factor/verify-totp': { bodies: wrongCodes, refuses: wrongCode },
  '/two-factor/verify-backup-code': { bodies: wrongCodes, refuses: wrongCode },
  '/two-factor/send-otp': { bodies: nothing, refuses: ['OTP_NOT_CONFIGURED'] },
  '/two-factor/verify-otp': { bodies: () => [{ code: '000000' }], refuses: ['OTP_NOT_CONFIGURED'] },
  '/two-factor/view-backup-codes': { bodies: ({ userId }) => [{ userId }], refuses: ['BACKUP_CODES_SHOWN_ONCE'] },
  '/two-factor/revoke-trusted-device': { bodies: () => [{ id: randomUUID() }] },
}

const mutating = routes.filter(({ method }) => method === 'POST')
const cases = ways.flatMap((way) => Object.entries(ages).map(([name, age]) => ({ way, age: age as Age, name })))
const owners = await Promise.all(ways.map(async (way) => [way, await newOwner(way)] as const)).then((all) => new Map(all))

const readBy = async (thief: Browser, path: string) => (await thief.get(`/auth/${path}`)).body
const isProven = async (thief: Browser) => (await thief.get('/auth/export-data')).status === 200

test('every route that changes something is tried below', () => {
  expect(Object.keys(attempts).sort()).toEqual(mutating.map(({ path }) => path).sort())
})

describe('a thief who holds only a cookie without a recent proof', () => {
  test.each(mutating.map(({ path }) => path))('T47: takes and destroys nothing by %s', async (path) => {
    const { bodies, refuses }: Attempt = attempts[path] ?? { bodies: nothing, refuses: [] }
    for (const { way, age, name } of cases) {
      const owner = owners.get(way)
      if (!owner) throw new Error(`no owner with ${way}`)
      await app.db.twoFactor.updateMany({ where: { userId: owner.userId }, data: { failedAttempts: 0, lockedUntil: null } })
      await app.db.account.updateMany({ where: { userId: owner.userId }, data: { knownGuesses: 0, unknownGuesses: 0 } })
      const before = await belongings(owner)
      const first = await stealCookie(owner, age)
      const { session } = (await readBy(first, 'get-session')) as { session: { token: string } }
      const accounts = (await readBy(first, 'list-accounts')) as { id: string; accountId: string }[]
      const accountIds = accounts.flatMap(({ id, accountId }) => [id, accountId])
      const target = { ...owner, accountIds, thiefEmail: app.person().email, handle: session.token }
      const thieves = [first]
      for (const body of bodies(target)) {
        const thief = await stealCookie(owner, age)
        thieves.push(thief)
        const { status, code = 'none' } = await thief.post(`/auth${path}`, body)
        const seen = { way, name, body, code: refuses?.includes(code) || !refuses ? 'expected' : code, failed: status >= 500 }
        expect(seen).toEqual({ way, name, body, code: 'expected', failed: false })
      }
      expect([way, name, await belongings(owner)]).toEqual([way, name, before])
      for (const thief of thieves) expect([way, name, await isProven(thief)]).toEqual([way, name, false])
      await app.mailed()
      if (!path.startsWith('/organization')) expect([way, name, app.outbox.to(target.thiefEmail)]).toEqual([way, name, []])
    }
    expect(app.unforeseen()).toEqual([])
  })
})

// One age is enough here: the table above tries all.
describe.each(cases.filter(({ name }) => name === 'signed in 16 minutes ago'))(
  'a thief who holds a cookie of an account with $way, $name,',
  ({ way, age }) => {
    /** An untouched account, and what the thief tries on it. */
    const attack = async (work: (thief: Browser, owner: Owner) => Promise<void>) => {
      const owner = await newOwner(way)
      const before = await belongings(owner)
      await work(await stealCookie(owner, age), owner)
      expect(await belongings(owner)).toEqual(before)
      await app.mailed()
      return owner
    }

    test('cannot move the account to an address of theirs', async () => {
      const thiefEmail = app.person().email
      await attack(async (thief) => {
        expect(outcome(await thief.post('/auth/change-email', { newEmail: thiefEmail }))).toEqual(refused)
      })
      expect(app.outbox.to(thiefEmail)).toEqual([])
    })

    test('cannot delete the account, nor have the link mailed, nor use one that the owner asked for', async () => {
      const owner = await attack(async (thief, { tab, person }) => {
        expect(outcome(await thief.post('/auth/delete-user'))).toEqual(refused)
        expect(outcome(await tab.post('/auth/delete-user'))).toEqual([200, undefined])
        await app.mailed()
        const { token } = app.outbox.lastTo(person.email)
        expect(outcome(await thief.post('/auth/delete-user', { token }))).toEqual(refused)
      })
      expect(app.outbox.to(owner.person.email).filter(({ link }) => link.pathname === '/delete-account')).toHaveLength(1)
    })

    test('cannot link an identity of theirs, nor prove by it that they are the owner', async () => {
      await attack(async (thief) => {
        const { email } = app.person()
        await sitAtGitHub(email)
        expect(outcome(await thief.post('/auth/link-social', { provider: 'github' }))).toEqual(refused)
        const start = await thief.post('/auth/reauthenticate', { provider: 'github' })
        if (way === 'a provider only') {
          const back = await thief.get(await followRedirects(urlOf(start).href, app.baseUrl))
          expect(landing(back)).toEqual([302, '/reauthenticate?error=different_account'])
        } else expect(outcome(start)).toEqual([400, 'ACCOUNT_NOT_FOUND'])
        expect(await isProven(thief)).toBe(false)
        // A sign-in in this browser is the thief's own.
        expect(landing(await thief.get(await wayBack(app, thief, 'github')))).toEqual([302, '/dashboard'])
        expect(await readBy(thief, 'get-session')).toMatchObject({ user: { email } })
      })
    })

    test('cannot begin a second factor, nor finish or read one that the owner prepared', async () => {
      await attack(async (thief) => {
        expect((await thief.post('/auth/two-factor/enable')).status).not.toBe(200)
        expect((await thief.post('/auth/two-factor/get-totp-uri')).status).not.toBe(200)
      })
      if (way === 'a password and a factor') return
      const owner = await newOwner(way)
      await setUpTwoFactor(owner.tab, way === 'a password' ? owner.person.password : undefined)
      const before = await belongings(owner)
      const thief = await stealCookie(owner, age)
      for (const path of ['get-totp-uri', 'enable']) expect((await thief.post(`/auth/two-factor/${path}`)).status).not.toBe(200)
      expect((await thief.post('/auth/two-factor/verify', { code: '000000' })).code).toBe('INVALID_CODE')
      expect(await belongings(owner)).toEqual(before)
    })

    test('gets a link to prove who they are only into the mailbox of the owner', async () => {
      const links = () => app.outbox.mails.filter(({ text }) => text.includes('/reauthenticate?token=')).map(({ to }) => to)
      const before = links().length
      const owner = await attack(async (thief) => {
        const asked = outcome(await thief.post('/auth/reauthenticate', { sendEmail: true }))
        expect(asked).toEqual(way === 'the mailbox only' ? [200, undefined] : [400, 'REAUTHENTICATION_METHOD_NOT_AVAILABLE'])
        expect(await isProven(thief)).toBe(false)
      })
      expect(links().slice(before)).toEqual(way === 'the mailbox only' ? [owner.person.email] : [])
    })

    test('loses the cookie when its owner proves who they are', async () => {
      const owner = await newOwner(way)
      const thief = await stealCookie(owner, age)
      const own = app.browser()
      own.cookies.set('floorpass_session', thief.cookies.get('floorpass_session') ?? '')
      if (way === 'a password' || way === 'a password and a factor') {
        expect((await own.post('/auth/reauthenticate', { password: owner.person.password })).status).toBe(200)
      } else if (way === 'a provider only') {
        // Still sits at GitHub.
        await own.get(
          await followRedirects(urlOf(await own.post('/auth/reauthenticate', { provider: 'github' })).href, app.baseUrl),
        )
      } else {
        await own.post('/auth/reauthenticate', { sendEmail: true })
        await app.mailed()
        await own.post('/auth/reauthenticate', { token: app.outbox.lastTo(owner.person.email).token })
      }
      expect([await isProven(own), await readBy(thief, 'get-session')]).toEqual([true, null])
    })

    test('may still make the money settings safer, and change the name', async () => {
      const owner = await newOwner(way)
      await app.db.user.update({ where: { id: owner.userId }, data: { tradingEnabled: true } })
      const thief = await stealCookie(owner, age)
      const body = { tradingEnabled: false, riskLevel: 'conservative', name: 'Changed' }
      expect((await thief.post('/auth/update-user', body)).status).toBe(200)
      expect((await belongings(owner)).user).toMatchObject({ tradingEnabled: false, riskLevel: 'conservative' })
    })
  },
)

describe('a session in memory', () => {
  test.each(['created_at', 'authenticated_at'])('is judged by its row: %s is moved in the database', async (column) => {
    const tab = await app.signedIn()
    expect((await tab.post('/auth/reauthenticate', { password: tab.person.password })).status).toBe(200)
    expect([await isProven(tab), await isProven(tab)]).toEqual([true, true])
    const old = new Date(Date.now() - 16 * minute)
    const at = { userId: tab.userId }
    await app.db.session.updateMany({
      where: at,
      data: column === 'created_at' ? { createdAt: old, authenticatedAt: null } : { authenticatedAt: old },
    })
    expect(await isProven(tab)).toBe(false)
  })
})

/** The cookie of a session whose owner has just proved who they are carries that proof: docs/gaps.md says so. */
describe.each(ways)('a thief with a cookie that is just signed in, of an account with %s,', (way) => {
  const proven: Age = { createdAt: minute }

  test('takes the address; the link that the former address gets gives the account back, without what the thief added', async () => {
    const owner = await newOwner(way)
    const { userId, person, organizationId } = owner
    const { factor } = await belongings(owner)
    const thief = await stealCookie(owner, proven)
    const thiefEmail = app.person().email
    expect((await thief.post('/auth/change-email', { newEmail: thiefEmail })).status).toBe(200)
    await app.mailed()
    expect((await thief.post('/auth/verify-email', { token: app.outbox.lastTo(thiefEmail).token })).status).toBe(200)
    await app.mailed()
    const undo = app.outbox.lastTo(person.email)
    expect(undo.link.pathname).toBe('/undo-email-change')

    if (!way.startsWith('a password')) {
      const { authenticator } = await setUpTwoFactor(thief)
      expect((await thief.post('/auth/two-factor/verify', { code: authenticator.code() })).status).toBe(200)
      expect((await thief.post('/auth/set-password', { newPassword })).status).toBe(200)
    }
    if (way !== 'a provider only') {
      await sitAtGitHub(thiefEmail)
      await linkAt(app, 'github', thief)
      expect(await app.db.account.count({ where: { userId, providerId: 'github' } })).toBe(1)
    }
    const recentlyChanged = [403, 'EMAIL_RECENTLY_CHANGED']
    const known = way.startsWith('a password') ? person.password : newPassword
    for (const body of [{}, { password: known }])
      expect(outcome(await thief.post('/auth/delete-user', body))).toEqual(recentlyChanged)

    expect(outcome(await app.browser().post('/auth/undo-email-change', { token: undo.token }))).toEqual([200, undefined])
    expect(await readBy(thief, 'get-session')).toBeNull()
    const after = await belongings(owner)
    expect([after.user?.email, after.user?.emailVerified, after.factor]).toEqual([person.email, true, factor])
    expect(after.accounts.filter(({ providerId, passwordHash }) => providerId !== 'credential' || passwordHash !== null)).toEqual(
      [],
    )
    expect(await app.db.member.count({ where: { userId, organizationId, role: 'owner' } })).toBe(1)
    await app.mailed()
    const { token } = app.outbox.lastTo(person.email)
    expect(outcome(await app.browser().post('/auth/reset-password', { token, newPassword }))).toEqual([200, undefined])
    const { body } = await app.browser().post('/auth/sign-in/email', { email: person.email, password: newPassword })
    expect(body).toMatchObject(factor === null ? { user: { id: userId } } : { twoFactorRedirect: true })
  })
})
