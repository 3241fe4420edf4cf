import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Route, routes } from '@floorpass/functions'
import { makeAdministrator } from './administrators.ts'
import { addAddress, wallet } from './allow-list.ts'
import { setUpTwoFactor, switchOnTwoFactor } from './authenticator.ts'
import type { TestApp } from './create-test-app.ts'
import { addPasskey, createAssertion, createRegistration } from './passkeys.ts'
import { refuseMail } from './refused-mails.ts'
import { createSoftwareAuthenticator } from './software-authenticator.ts'

export type SignedIn = Awaited<ReturnType<TestApp['signedIn']>>

/** The smallest picture that the service accepts: a white pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC'

/** The picture at a provider. */
const pictures = createServer((_request, response) => response.end(Buffer.from(pixel, 'base64')))
await new Promise<void>((resolve) => pictures.listen(0, '127.0.0.1', resolve))
pictures.unref()
const pictureOrigin = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}`

/** Enables every route. No sample makes the service sign in at a provider. */
export const everyProvider = {
  GOOGLE_CLIENT_ID: 'google',
  GOOGLE_CLIENT_SECRET: 'a secret',
  GITHUB_CLIENT_ID: 'github',
  GITHUB_CLIENT_SECRET: 'a secret',
  PICTURE_ORIGINS: pictureOrigin,
}

/** A secret of SERVICE_KEYS. */
export const serviceKey = 'a-key-of-the-gateway-q8Zr41Lk7TnB2vXw'

/** Every REST address: a route appears once for each of its aliases. */
export const addresses: Route[] = routes.flatMap((route) => [route.path, ...route.aliases].map((path) => ({ ...route, path })))

/** The address of a route, with the parts of its path that the input names. */
export const addressOf = (path: string, input: Record<string, unknown> = {}): string =>
  `/auth${path.replace(/\{(\w+)\}/g, (_, name: string) => String(input[name] ?? 'unknown'))}`

/** A valid, single-use input for each route that takes one. A new route needs an entry here. */
export function routeSamples(app: TestApp): Record<string, (tab: SignedIn) => Promise<Record<string, unknown>>> {
  const verificationToken = async () => ({ token: app.outbox.lastTo((await app.signUp()).email).token })
  const resetLink = async ({ person }: SignedIn) => {
    await app.browser().post('/auth/forget-password', { email: person.email })
    await app.drainMail()
    return app.outbox.lastTo(person.email).token
  }
  const organization = async (founder: SignedIn) => {
    const { body } = await founder.post('/auth/organization/create', { name: 'Desk', slug: randomUUID() })
    return { organizationId: (body as { id: string }).id }
  }
  const colleague = async (tab: SignedIn) => {
    const { organizationId } = await organization(tab)
    const { userId } = await app.signedIn()
    const { body } = await tab.post('/auth/organization/member/add', { organizationId, userId, role: 'member' })
    return { organizationId, userId, memberId: (body as { id: string }).id }
  }
  const addMember = async (tab: SignedIn) => ({
    ...(await organization(tab)),
    userId: (await app.signedIn()).userId,
    role: 'member',
  })
  const addedTo = async ({ userId }: SignedIn) => {
    const founder = await app.signedIn()
    const { organizationId } = await organization(founder)
    await founder.post('/auth/organization/member/add', { organizationId, userId, role: 'member' })
    return { organizationId }
  }
  const removeMember = async (tab: SignedIn) => {
    const { organizationId, memberId } = await colleague(tab)
    return { organizationId, memberIdOrEmail: memberId }
  }
  const updateMemberRole = async (tab: SignedIn) => {
    const { organizationId, memberId } = await colleague(tab)
    return { organizationId, memberId, role: 'admin' }
  }
  const invite = async (from: SignedIn, email: string) => {
    const fields = { ...(await organization(from)), email, role: 'member' }
    const { body } = await from.post('/auth/organization/invite-member', fields)
    await app.drainMail()
    return (body as { id: string }).id
  }
  const invited = async ({ person: { email } }: SignedIn) => {
    await invite(await app.signedIn(), email)
    return { invitationId: app.outbox.lastTo(email).token }
  }
  const firstCode = async (tab: SignedIn) => ({
    code: (await setUpTwoFactor(tab, tab.person.password)).authenticator.code(),
  })
  const switchedOn = async (tab: SignedIn) => {
    await switchOnTwoFactor(tab, tab.person.password)
    return { password: tab.person.password }
  }
  const withPasskey = async (tab: SignedIn) => {
    const authenticator = createSoftwareAuthenticator()
    const { body } = await addPasskey(tab, authenticator)
    return { authenticator, id: (body as { id: string }).id }
  }
  /** The id of another user, for a caller who is now an administrator. */
  const subject = async (tab: SignedIn) => {
    await makeAdministrator(app, tab)
    return (await app.signedIn()).userId
  }
  const asAdministrator = async (tab: SignedIn) => {
    await makeAdministrator(app, tab)
    return {}
  }
  /** Of another user, with a member who may become its owner. The caller becomes an administrator. */
  const othersOrganization = async (tab: SignedIn) => {
    await makeAdministrator(app, tab)
    const { organizationId } = await organization(await app.signedIn())
    const { userId } = await app.signedIn()
    await app.db.member.create({ data: { organizationId, userId, role: 'member', slot: 1 } })
    return { organizationId, userId }
  }
  const refusedMail = async (tab: SignedIn) => {
    await makeAdministrator(app, tab)
    return refuseMail(app, (await app.signedIn()).person.email)
  }
  /** As the only administrator, who needs no second one. */
  const soleSubject = async (tab: SignedIn, data: object = {}) => {
    const userId = await subject(tab)
    await app.db.user.updateMany({ where: { role: 'admin', id: { not: tab.userId } }, data: { role: null } })
    await app.db.user.update({ where: { id: userId }, data })
    return { userId }
  }
  const withOlderPasskey = async (tab: SignedIn) => {
    const { authenticator } = await withPasskey(tab)
    await agePasskeys(app, tab.userId)
    return { passkey: await createAssertion(tab, authenticator) }
  }
  const createKey = async (tab: SignedIn) =>
    (await tab.post('/auth/api-key/create', { name: 'Bot' })).body as { id: string; key: string }
  const confirmation = async (tab: SignedIn) => {
    const { authenticator } = await withPasskey(tab)
    await app.db.user.update({ where: { id: tab.userId }, data: { heldUntil: null } })
    const detail = { type: 'withdrawal', amount: '10.00', currency: 'EUR' }
    const fields = { authorization_details: [detail], audience: app.baseUrl }
    const { body } = await tab.post('/auth/confirmation/create', fields)
    const { id, options } = body as { id: string; options: { challenge: string } }
    return { id, fields, response: authenticator.authenticate(options) }
  }
  return {
    'GET /admin/list-users': async (tab) => {
      await makeAdministrator(app, tab)
      return { limit: '5' }
    },
    'GET /admin/get-user': async (tab) => ({ id: await subject(tab) }),
    'POST /admin/ban-user': async (tab) => ({ userId: await subject(tab), banReason: 'a stolen card was used' }),
    'POST /admin/unban-user': async (tab) => soleSubject(tab, { suspendedAt: new Date() }),
    'POST /admin/create-user': async (tab) => {
      await makeAdministrator(app, tab)
      return { email: `${randomUUID()}@example.test`, name: 'Grace Hopper' }
    },
    'POST /admin/update-user': async (tab) => ({ userId: await subject(tab), data: { name: 'Grace Hopper' } }),
    'POST /admin/set-role': async (tab) => ({ ...(await soleSubject(tab, { twoFactorEnabled: true })), role: 'support' }),
    'POST /admin/set-user-password': async (tab) => ({ userId: await subject(tab), newPassword: 'velvet harbor anchor 9' }),
    'POST /admin/disable-two-factor': async (tab) => soleSubject(tab, { twoFactorEnabled: true }),
    'POST /admin/remove-user': async (tab) => soleSubject(tab),
    'GET /admin/list-approvals': async (tab) => {
      await makeAdministrator(app, tab)
      return {}
    },
    'POST /admin/reject-approval': async (tab) => {
      const userId = await subject(tab)
      const expiresAt = new Date(Date.now() + 1e7)
      const request = {
        userId,
        action: 'remove-user',
        detail: '',
        reason: 'asked by the owner',
        requestedBy: tab.userId,
        expiresAt,
      }
      return { approvalId: (await app.db.approval.create({ data: request })).id }
    },
    'POST /admin/impersonate-user': async (tab) => ({ userId: await subject(tab), reason: 'asked in ticket 4711' }),
    'POST /admin/stop-impersonating': async (tab) => {
      await tab.post('/auth/admin/impersonate-user', { userId: await subject(tab), reason: 'asked in ticket 4711' })
      return {}
    },
    'POST /admin/list-user-sessions': async (tab) => ({ userId: await subject(tab) }),
    'POST /admin/revoke-user-session': async (tab) => {
      await makeAdministrator(app, tab)
      return { sessionToken: await handleOf(await app.signedIn()) }
    },
    'POST /admin/revoke-user-sessions': async (tab) => ({ userId: await subject(tab) }),
    'POST /admin/has-permission': async () => ({ permissions: { user: ['list'] } }),
    'GET /admin/list-audit-events': async (tab) => ({ userId: await subject(tab), limit: '5' }),
    'GET /admin/audit-events.csv': async (tab) => ({ userId: await subject(tab) }),
    'GET /admin/list-organizations': async (tab) => ({ ...(await asAdministrator(tab)), limit: '5' }),
    'GET /admin/get-organization': async (tab) => ({ id: (await othersOrganization(tab)).organizationId }),
    'POST /admin/suspend-organization': async (tab) => ({
      organizationId: (await othersOrganization(tab)).organizationId,
      reason: 'asked by the police',
    }),
    'POST /admin/restore-organization': async (tab) => {
      const { organizationId } = await othersOrganization(tab)
      await app.db.organization.update({ where: { id: organizationId }, data: { suspendedAt: new Date() } })
      return { organizationId, reason: 'the police agreed' }
    },
    'POST /admin/change-organization-owner': async (tab) => ({
      ...(await othersOrganization(tab)),
      reason: 'the owner has died',
    }),
    'GET /admin/counts': asAdministrator,
    'GET /admin/list-refused-mails': async (tab) => ({ ...(await asAdministrator(tab)), limit: '5' }),
    'POST /admin/retry-refused-mail': async (tab) => ({ id: await refusedMail(tab) }),
    'POST /admin/drop-refused-mail': async (tab) => ({ id: await refusedMail(tab) }),
    'GET /admin/list-webhooks': asAdministrator,
    'GET /admin/list-webhook-deliveries': async (tab) => {
      const webhook = { url: 'https://hooks.example.com', contact: 'desk@example.test', keysSealed: '', createdBy: 'grace' }
      const { id } = await app.db.webhook.create({ data: webhook })
      return { ...(await asAdministrator(tab)), webhookId: id, limit: '5' }
    },
    'GET /admin/list-services': asAdministrator,
    'GET /admin/list-settings': asAdministrator,
    'GET /admin/list-user-api-keys': async (tab) => ({ userId: await subject(tab) }),
    'POST /admin/revoke-user-api-key': async (tab) => {
      await asAdministrator(tab)
      return { keyId: (await createKey(await app.signedIn())).id, reason: 'the key was found on a page' }
    },
    'POST /protection/lock': async (tab) => ({ days: 7, ...(await withOlderPasskey(tab)) }),
    'POST /protection/request-unlock': async ({ userId }) => lockUser(app, userId),
    'POST /protection/cancel-unlock': async ({ userId }) => lockUser(app, userId, { unlockAt: new Date(Date.now() + 1e8) }),
    'POST /protection/unlock-with-key': async (tab) => {
      const { authenticator } = await withPasskey(tab)
      await agePasskeys(app, tab.userId)
      const passkey = await createAssertion(tab, authenticator)
      const { body } = await tab.post('/auth/protection/lock', { days: 7, passkey })
      return { key: (body as { lockKey: string }).lockKey, passkey: await createAssertion(tab, authenticator) }
    },
    'POST /protection/lift-hold': withOlderPasskey,
    'POST /protection/set-phrase': async () => ({ phrase: 'Blue heron at dawn' }),
    'POST /protection/undo-panic': async (tab) => {
      const passkey = await withOlderPasskey(tab)
      await lockUser(app, tab.userId, { lockKind: 'panic' })
      return passkey
    },
    'POST /panic': async (tab) => ({ token: await panicTokenOf(app, tab) }),
    'POST /confirmation/create': async (tab) => (await confirmation(tab)).fields,
    'GET /confirmation/get': async (tab) => ({ id: (await confirmation(tab)).id }),
    'POST /confirmation/approve': async (tab) => {
      const { id, response } = await confirmation(tab)
      return { id, response }
    },
    'POST /confirmation/reject': async (tab) => ({ id: (await confirmation(tab)).id }),
    'POST /confirmation/consume': async (tab) => {
      const { id, response } = await confirmation(tab)
      await tab.post('/auth/confirmation/approve', { id, response })
      return { jti: id }
    },
    'POST /api-key/create': async () => ({ name: 'Bot', permissions: { order: ['read'] } }),
    'GET /api-key/list': async () => ({ limit: '5' }),
    'GET /api-key/get': async (tab) => ({ id: (await createKey(tab)).id }),
    'POST /api-key/update': async (tab) => ({
      keyId: (await createKey(tab)).id,
      permissions: { order: ['read', 'cancel'] },
    }),
    'POST /api-key/delete': async (tab) => ({ keyId: (await createKey(tab)).id }),
    'POST /api-key/report': async (tab) => ({ key: (await createKey(tab)).key }),
    'POST /api-key/verify': async () => ({ key: 'unknown' }),
    'POST /allow-list/add': async () => wallet,
    'POST /allow-list/remove': async (tab) => ({ id: ((await addAddress(tab)).body as { id: string }).id }),
    'POST /allow-list/set-enabled': async () => ({ enabled: true }),
    'POST /allow-list/check': async ({ userId }) => ({ ...wallet, userId }),
    'GET /passkey/generate-authenticate-options': async () => ({ discoverable: 'true' }),
    'GET /passkey/generate-register-options': async () => ({ name: 'Phone' }),
    'POST /passkey/verify-registration': async (tab) => ({
      response: await createRegistration(tab, createSoftwareAuthenticator()),
    }),
    'POST /passkey/verify-authentication': async (tab) => {
      const { authenticator } = await withPasskey(tab)
      return { response: await createAssertion(tab, authenticator) }
    },
    'POST /passkey/update-passkey': async (tab) => ({ id: (await withPasskey(tab)).id, name: 'Phone' }),
    'POST /passkey/delete-passkey': async (tab) => ({ id: (await withPasskey(tab)).id }),
    'POST /sign-in/email': async ({ person: { email, password } }) => ({ email, password }),
    'POST /sign-up/email': async () => app.person(),
    'POST /sign-up/passkey': async () => ({ name: 'Ada', email: app.person().email }),
    'POST /reauthenticate': async ({ person: { password } }) => ({ password }),
    'GET /reauthentication': async () => ({ acr: 'aal1', max_age: '900' }),
    'GET /verify': async () => ({ acr: 'aal1', max_age: '900' }),
    'GET /token': async () => ({ max_age: '900' }),
    'GET /list-activity': async () => ({ limit: '5' }),
    'GET /sign-in/social': async () => ({ provider: 'github' }),
    'POST /sign-in/social': async () => ({ provider: 'github' }),
    'GET /callback/google': async () => ({ code: 'unknown', state: 'unknown' }),
    'GET /callback/github': async () => ({ code: 'unknown', state: 'unknown' }),
    'POST /link-social-account': async () => ({ provider: 'github' }),
    'POST /link-social': async () => ({ provider: 'github' }),
    'POST /unlink-account': async ({ userId }) => {
      await app.db.account.create({ data: { userId, providerId: 'github', accountId: userId } })
      return { providerId: 'github' }
    },
    'POST /revoke-session': async (tab) => ({ token: await handleOf(tab) }),
    'POST /forget-password': async ({ person: { email } }) => ({ email }),
    'POST /request-password-reset': async ({ person: { email } }) => ({ email }),
    'GET /reset-password': async (tab) => ({ token: await resetLink(tab), callbackURL: '/somewhere' }),
    'POST /reset-password': async (tab) => ({ token: await resetLink(tab), newPassword: 'violet harbor ladder' }),
    'POST /change-password': async ({ person }) => ({ currentPassword: person.password, newPassword: 'violet harbor ladder' }),
    'POST /set-password': async ({ userId }) => {
      await app.db.account.deleteMany({ where: { userId, providerId: 'credential' } })
      return { newPassword: 'violet harbor ladder' }
    },
    'POST /verify-email': verificationToken,
    'GET /verify-email': verificationToken,
    'POST /send-verification-email': async ({ userId, person: { email } }) => {
      await app.db.user.update({ where: { id: userId }, data: { emailVerified: false } })
      return { email }
    },
    'POST /change-email': async () => ({ newEmail: app.person().email }),
    'POST /undo-email-change': async (tab) => {
      const { email: newEmail } = app.person()
      await tab.post('/auth/change-email', { newEmail })
      await app.drainMail()
      await tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
      await app.drainMail()
      return { token: app.outbox.lastTo(tab.person.email).token }
    },
    'POST /two-factor/enable': async ({ person: { password } }) => ({ password }),
    'POST /two-factor/get-totp-uri': async (tab) => {
      await setUpTwoFactor(tab, tab.person.password)
      return { password: tab.person.password }
    },
    'POST /two-factor/verify': firstCode,
    'POST /two-factor/verify-totp': firstCode,
    'POST /two-factor/verify-backup-code': async (tab) => ({
      code: (await switchOnTwoFactor(tab, tab.person.password)).backupCodes[0],
    }),
    'POST /two-factor/disable': switchedOn,
    'POST /two-factor/generate-backup-codes': switchedOn,
    'POST /two-factor/revoke-trusted-device': async ({ userId }) => {
      const expiresAt = new Date(Date.now() + 1e6)
      const { id } = await app.db.trustedDevice.create({ data: { userId, secretHash: `device of ${userId}`, expiresAt } })
      return { id }
    },
    'POST /introspect': async ({ cookies }) => ({ token: cookies.get('local-floorpass_session') }),
    'GET /events': async () => ({ limit: '5' }),
    'GET /events/stream': async () => ({ types: 'session.ended' }),
    'POST /update-user': async () => ({ name: 'Changed' }),
    'POST /name-session': async (tab) => ({ token: await handleOf(tab), nickname: 'My laptop' }),
    'POST /take-provider-picture': async ({ userId }) => {
      await app.db.account.create({ data: { userId, providerId: 'github', accountId: userId, pictureUrl: pictureOrigin } })
      return { providerId: 'github' }
    },
    'POST /set-picture': async () => ({ picture: pixel }),
    'GET /pictures/{name}.webp': async (tab) => {
      const { body } = await tab.post('/auth/set-picture', { picture: pixel })
      return { name: (body as { image: string }).image.split('/').at(-1)?.replace('.webp', '') }
    },
    'POST /delete-user': async ({ person: { password } }) => ({ password }),
    'POST /organization/create': async () => ({ name: 'Desk', slug: randomUUID() }),
    'GET /organization/get': organization,
    'GET /organization/get-full-organization': organization,
    'GET /organization/get-organization': organization,
    'POST /organization/update': async (tab) => ({ ...(await organization(tab)), data: { name: 'Changed' } }),
    'POST /organization/delete': organization,
    'POST /organization/member/add': addMember,
    'POST /organization/add-member': addMember,
    'POST /organization/member/remove': removeMember,
    'POST /organization/remove-member': removeMember,
    'POST /organization/member/update-role': updateMemberRole,
    'POST /organization/update-member-role': updateMemberRole,
    'POST /organization/check-slug': async () => ({ slug: randomUUID() }),
    'POST /organization/set-active': organization,
    'POST /organization/accept-membership': addedTo,
    'POST /organization/leave': addedTo,
    'GET /organization/list-members': organization,
    'GET /organization/get-active-member': organization,
    'GET /organization/get-active-member-role': organization,
    'POST /organization/has-permission': async (tab) => ({
      ...(await organization(tab)),
      permissions: { organization: ['delete'] },
    }),
    'POST /organization/invite-member': async (tab) => ({
      ...(await organization(tab)),
      email: app.person().email,
      role: 'member',
    }),
    'POST /organization/accept-invitation': invited,
    'POST /organization/reject-invitation': invited,
    'POST /organization/cancel-invitation': async (tab) => ({ invitationId: await invite(tab, app.person().email) }),
    'GET /organization/get-invitation': async (tab) => ({ id: (await invited(tab)).invitationId }),
    'GET /organization/list-invitations': organization,
    'GET /organization/list-activity': organization,
  }
}

/** The handle by which a browser's own session is revoked. */
export async function handleOf(tab: Pick<SignedIn, 'get'>): Promise<string> {
  return ((await tab.get('/auth/get-session')).body as { session: { token: string } }).session.token
}

/** Makes the passkeys of a user a month old: the owner's, not those of a thief. */
export const agePasskeys = ({ db }: TestApp, userId: string) =>
  db.passkey.updateMany({ where: { userId }, data: { createdAt: new Date(Date.now() - 30 * 86_400_000) } })

/** Locks the account for seven days, by the owner unless the fields say otherwise. */
export async function lockUser({ db }: TestApp, userId: string, fields: { lockKind?: string; unlockAt?: Date } = {}) {
  const lock = { lockKind: 'owner', lockedAt: new Date(), unlockDays: 7, unlockAt: null, ...fields }
  await db.user.update({ where: { id: userId }, data: lock })
  return {}
}

/** The token of the panic link in a new mail to the user. */
export async function panicTokenOf(app: TestApp, tab: Pick<SignedIn, 'post' | 'person'>): Promise<string> {
  await tab.post('/auth/protection/set-phrase', { phrase: 'Blue heron at dawn' })
  await app.drainMail()
  return readPanicToken(app.outbox.lastTo(tab.person.email).text)
}

export const readPanicToken = (text: string): string => /\/panic\?token=([\w-]+)/.exec(text)?.[1] ?? ''
