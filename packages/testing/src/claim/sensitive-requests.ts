import { declaredRoutes } from '../declarations.ts'
import type { Owner } from './scene.ts'

const id = '0198c2d4-0000-7000-8000-000000000000'
const newPassword = 'violet harbor ladder'
const assertion = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' },
}

/** A valid body for each sensitive route, so that the lock refuses the request and not the body. */
const bodies: Record<string, (owner: Owner) => object> = {
  '/change-password': ({ password }) => ({ currentPassword: password, newPassword }),
  '/set-password': () => ({ newPassword }),
  '/change-email': () => ({ newEmail: 'thief@example.test' }),
  '/delete-user': ({ password }) => ({ password }),
  '/api-key/create': () => ({ name: 'Thief' }),
  '/api-key/update': ({ bearerKey }) => ({ keyId: bearerKey.id, permissions: { order: ['read', 'place', 'cancel'] } }),
  '/protection/lock': () => ({ days: 30 }),
  '/protection/lift-hold': () => ({}),
  '/protection/set-phrase': () => ({ phrase: 'Thief' }),
  '/allow-list/add': () => ({ kind: 'bitcoin', value: 'bc1q5shngj24323nsrmxv99st02na6srekfctt30ch' }),
  '/allow-list/set-enabled': () => ({ enabled: false }),
  '/confirmation/approve': () => ({ id }),
  '/link-social-account': () => ({ provider: 'github' }),
  '/unlink-account': () => ({ providerId: 'github' }),
  '/organization/delete': () => ({ organizationId: id }),
  '/organization/member/add': () => ({ organizationId: id, userId: id, role: 'member' }),
  '/organization/member/update-role': () => ({ organizationId: id, memberId: id, role: 'admin' }),
  '/organization/leave': () => ({ organizationId: id }),
  '/organization/invite-member': () => ({ organizationId: id, email: 'thief@example.test', role: 'member' }),
  '/two-factor/enable': ({ password }) => ({ password }),
  '/two-factor/disable': ({ password }) => ({ password }),
  '/two-factor/generate-backup-codes': ({ password }) => ({ password }),
  '/two-factor/get-totp-uri': ({ password }) => ({ password }),
  '/passkey/verify-registration': () => ({
    response: { ...assertion, response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA', transports: [] } },
  }),
  '/passkey/delete-passkey': ({ passkeyId }) => ({ id: passkeyId }),
}

/** Routes that are sensitive in part or not for owners, and why the thief does not call them. */
const elsewhere: Record<string, string> = {
  '/admin/ban-user': 'is for administrators of the service',
  '/admin/unban-user': 'is for administrators of the service',
  '/admin/create-user': 'is for administrators of the service',
  '/admin/update-user': 'is for administrators of the service',
  '/admin/set-role': 'is for administrators of the service',
  '/admin/set-user-password': 'is for administrators of the service',
  '/admin/disable-two-factor': 'is for administrators of the service',
  '/admin/remove-user': 'is for administrators of the service',
  '/admin/reject-approval': 'is for administrators of the service',
  '/admin/impersonate-user': 'is for administrators of the service',
  '/admin/revoke-user-session': 'is for administrators of the service',
  '/admin/revoke-user-sessions': 'is for administrators of the service',
  '/admin/retry-refused-mail': 'is for administrators of the service',
  '/admin/drop-refused-mail': 'is for administrators of the service',
  '/admin/suspend-organization': 'is for administrators of the service',
  '/admin/restore-organization': 'is for administrators of the service',
  '/admin/change-organization-owner': 'is for administrators of the service',
  '/admin/revoke-user-api-key': 'is for administrators of the service',
  '/reset-password': 'needs a mailed link; the owner uses it after the panic link',
  '/verify-email': 'needs a mailed link',
  '/update-user': 'only turning trading on is sensitive',
  '/protection/undo-panic': 'is for the owner after the panic link',
  '/organization/member/remove': 'removes only members whose role is new',
  '/confirmation/consume': 'is for services',
  '/two-factor/verify': 'signs in; only finishing a set-up is sensitive',
  '/two-factor/verify-totp': 'signs in; only finishing a set-up is sensitive',
  '/two-factor/verify-backup-code': 'signs in; only finishing a set-up is sensitive',
}

const sensitive = declaredRoutes.filter(({ declared }) => declared.sensitive !== false)
const missing = sensitive.filter(({ path }) => !bodies[path] && !elsewhere[path]).map(({ path }) => path)
if (missing.length > 0) throw new Error(`sensitive routes without a body in the claim: ${missing.join(', ')}`)

/** Every sensitive route of the route table, as a thief in a session calls it. */
export const sensitiveRequests = (owner: Owner): { path: string; body: object }[] =>
  sensitive.flatMap(({ path }) => {
    const body = bodies[path]?.(owner)
    return body ? [{ path: `/auth${path}`, body }] : []
  })
