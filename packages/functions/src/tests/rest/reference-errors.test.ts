import { catalogue, keyRefusalCodes } from '@floorpass/api'
import { recordCall } from '@floorpass/functions'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { reachableErrors } from '@floorpass/testing/reachable-errors'
import { addresses, everyProvider } from '@floorpass/testing/route-samples'
import { expect, test } from 'vitest'

type Response = { content?: Record<string, { examples?: Record<string, unknown> }> }
type Document = { paths: Record<string, Record<string, { responses: Record<string, Response> }>> }

const app = await createTestApp(everyProvider)
const document = (await app.browser().get('/auth/openapi.json')).body as Document
const codes = new Set(Object.keys(catalogue))

const ofPasskeyChallenge = {
  INVALID_TOKEN: 'of a passkey challenge: CHALLENGE_NOT_FOUND',
  TOKEN_EXPIRED: 'of a passkey challenge: CHALLENGE_NOT_FOUND',
}

/** Codes that the code of a route names and never answers, and why. */
const neverAnswered: Record<string, Record<string, string>> = {
  'GET /sign-in/social': {
    PROVIDER_UNAVAILABLE: 'a redirect with ?error=provider_unavailable',
    UNAUTHORIZED: 'only a caller who links an account is locked',
  },
  'POST /sign-in/social': { UNAUTHORIZED: 'only a caller who links an account is locked' },
  'GET /callback/google': {
    INVALID_TOKEN: 'a redirect with ?error=state_mismatch',
    TOKEN_EXPIRED: 'a redirect with ?error=state_mismatch',
    PROVIDER_NOT_FOUND: 'without the provider there is no route',
    VALIDATION_ERROR: 'a parameter that is not valid counts as absent',
  },
  'POST /admin/create-user': { USER_NOT_FOUND: 'the transaction has just created the user' },
  'POST /sign-up/passkey': { SERVICE_BUSY: 'there is no password to compare' },
  'GET /reset-password': {
    INVALID_TOKEN: 'a redirect with ?error=INVALID_TOKEN',
    TOKEN_EXPIRED: 'a redirect with ?error=TOKEN_EXPIRED',
  },
  'POST /organization/create': {
    ORGANIZATION_NOT_FOUND: 'a new organization has its owner',
    USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'a new organization has no members',
    ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: 'a new organization has no members',
  },
  'POST /organization/accept-invitation': {
    ROLE_NOT_FOUND: 'an invitation has a known role',
    ORGANIZATION_NOT_FOUND: 'an invitation ends with its organization',
  },
  'GET /organization/get-invitation': {
    EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION:
      'replaced by EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION',
  },
  'POST /two-factor/verify': {
    INVALID_TOKEN: 'the challenge is locked, so it cannot be used up meanwhile',
    TOKEN_EXPIRED: 'the challenge is locked, so it cannot be used up meanwhile',
  },
  'POST /two-factor/verify-totp': {
    INVALID_TOKEN: 'the challenge is locked, so it cannot be used up meanwhile',
    TOKEN_EXPIRED: 'the challenge is locked, so it cannot be used up meanwhile',
    INVALID_BACKUP_CODE: 'the code is of an app',
    BACKUP_CODES_NOT_ENABLED: 'the code is of an app',
  },
  'POST /two-factor/verify-backup-code': {
    INVALID_TOKEN: 'the challenge is locked, so it cannot be used up meanwhile',
    TOKEN_EXPIRED: 'the challenge is locked, so it cannot be used up meanwhile',
    INVALID_CODE: 'the code is a backup code',
    TOTP_NOT_ENABLED: 'the code is a backup code',
  },
  'POST /two-factor/disable': {
    PASSKEY_REQUIRED: 'the passkey is one of three proofs',
    INVALID_TOKEN: 'of a passkey challenge: CHALLENGE_NOT_FOUND',
    TOKEN_EXPIRED: 'of a passkey challenge: CHALLENGE_NOT_FOUND',
  },
  'POST /two-factor/generate-backup-codes': {
    PASSKEY_REQUIRED: 'the passkey is one of three proofs',
    INVALID_TOKEN: 'of a passkey challenge: CHALLENGE_NOT_FOUND',
    TOKEN_EXPIRED: 'of a passkey challenge: CHALLENGE_NOT_FOUND',
  },
  'GET /passkey/generate-authenticate-options': {
    INVALID_TOKEN: 'a sign-in that no longer waits names no user',
    TOKEN_EXPIRED: 'a sign-in that no longer waits names no user',
  },
  'POST /api-key/verify': Object.fromEntries(
    keyRefusalCodes.filter((code) => code !== 'INSUFFICIENT_SCOPE').map((code) => [code, 'in the `error` of an answer of 200']),
  ),
  'POST /confirmation/approve': {
    INVALID_BACKUP_CODE: 'the code is of an app',
    BACKUP_CODES_NOT_ENABLED: 'the code is of an app',
  },
  'POST /passkey/verify-authentication': ofPasskeyChallenge,
  'POST /api-key/create': ofPasskeyChallenge,
  'POST /api-key/update': ofPasskeyChallenge,
  'POST /protection/lock': ofPasskeyChallenge,
  'POST /protection/unlock-with-key': ofPasskeyChallenge,
  'POST /protection/lift-hold': ofPasskeyChallenge,
  'POST /protection/undo-panic': ofPasskeyChallenge,
  'POST /allow-list/add': ofPasskeyChallenge,
  'POST /allow-list/set-enabled': ofPasskeyChallenge,
  'GET /verify': {
    TOO_MANY_REQUESTS: 'replaced by SERVICE_BUSY',
    ACCOUNT_LOCKED: 'a gateway learns INSUFFICIENT_SCOPE',
    ACCOUNT_HELD: 'a gateway learns INSUFFICIENT_SCOPE, and the hold from x-auth-hold',
  },
}
neverAnswered['GET /callback/github'] = neverAnswered['GET /callback/google'] ?? {}

/** Checked before the procedure, by the edge; and by the base of the procedures: administration/impersonation-routes.test.ts. */
const before = new Set(['CROSS_SITE_NAVIGATION_LOGIN_BLOCKED', 'IMPERSONATION_READ_ONLY'])

const routesOnce = addresses.filter(({ path, aliases }) => !aliases.includes(path))

test.each(routesOnce)('$method $path lists the errors that its code can answer, and no other', (route) => {
  const { method, path, input, access, needs } = route
  const { responses } = document.paths[`/auth${path}`]?.[method.toLowerCase()] ?? { responses: {} }
  const codesOf = (response: Response | undefined) => Object.keys(response?.content?.['application/json']?.examples ?? {})
  const common = codesOf(responses.default)
  const listed = Object.entries(responses).flatMap(([status, response]) => (status === 'default' ? [] : codesOf(response)))
  const reachable = new Set(reachableErrors(route, codes))
  if (input) reachable.add('VALIDATION_ERROR')
  if (access === 'session' || access === 'administrator') reachable.add('UNAUTHORIZED')
  if (recordCall(route, {})?.declared?.sensitive === true) reachable.add('ACCOUNT_LOCKED')
  for (const code of Object.keys(neverAnswered[`${method} ${path}`] ?? {})) {
    expect([code, reachable.has(code)]).toEqual([code, true])
    reachable.delete(code)
  }
  // Without passkeys, the routes for them do not exist.
  if (needs === 'passkeys') reachable.delete('NOT_FOUND')
  for (const code of common) reachable.delete(code)
  const isByDeclaration = (code: string) => code === 'SESSION_NOT_FRESH' || before.has(code)
  expect(listed.filter((code) => !isByDeclaration(code)).sort()).toEqual(
    [...reachable].filter((code) => !isByDeclaration(code)).sort(),
  )
  if (reachable.has('SESSION_NOT_FRESH')) expect(listed).toContain('SESSION_NOT_FRESH')
})

test.each(['/sign-in/email', '/sign-up/email'])('%s lists the refusal of a foreign form', async (path) => {
  const headers = { origin: 'https://elsewhere.test', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  const { code, status } = await app.browser({ origin: null }).post(`/auth${path}`, {}, { headers })
  expect(document.paths[`/auth${path}`]?.post?.responses[status]?.content?.['application/json']?.examples).toHaveProperty(
    String(code),
  )
})
