import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { providerIds } from '@floorpass/api/contracts'
import { addresses } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const folder = new URL('../../../../../docs/specs/', import.meta.url)
const specs = readdirSync(folder).filter((name) => name.endsWith('.md'))

/** The specification's rows below /auth, in order. The preflight row is tested in tests/cors. */
const specRows = specs.flatMap((name) =>
  readFileSync(new URL(name, folder), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, method = '', path = '', , , aliases = ''] = line.split('|').map((cell) => cell.trim())
      if (!/^(GET|POST)$/.test(method) || !path.startsWith('/auth/')) return []
      return [{ method, path: path.slice('/auth'.length).replace(/<(\w+)>/, ':$1'), aliases }]
    }),
)

const getName = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

/** An alias replaces the last segment or, with a slash, the last two; `POST` or `GET` is the same path by another method. */
const getAliases = ({ path, aliases }: (typeof specRows)[number], method: string) => [
  ...[...aliases.matchAll(/`([\w/-]+)`/g)].map(
    ([, alias = '']) => `${method} ${path.replace(alias.startsWith('/') ? /\/[^/]+\/[^/]+$/ : /[^/]+$/, alias)}`,
  ),
  ...[...aliases.matchAll(/\b(GET|POST)\b/g)].map(([other]) => `${other} ${path}`),
]

/** `:provider` stands for one row of each provider. */
const specifiedRoutes = specRows
  .flatMap((row) => [getName(row), ...getAliases(row, row.method)])
  .flatMap((row) => (row.endsWith(':provider') ? providerIds.map((id) => row.replace(':provider', id)) : [row]))

/** Routes that Floorpass adds to the specification's flows. */
const addedRoutes = [
  'GET /admin/list-users',
  'GET /admin/get-user',
  'POST /admin/ban-user',
  'POST /admin/unban-user',
  'POST /admin/create-user',
  'POST /admin/update-user',
  'POST /admin/set-role',
  'POST /admin/set-user-password',
  'POST /admin/disable-two-factor',
  'POST /admin/remove-user',
  'POST /admin/reject-approval',
  'GET /admin/list-approvals',
  'POST /admin/impersonate-user',
  'POST /admin/stop-impersonating',
  'POST /admin/list-user-sessions',
  'POST /admin/revoke-user-session',
  'POST /admin/revoke-user-sessions',
  'POST /admin/has-permission',
  'GET /admin/list-audit-events',
  'GET /admin/audit-events.csv',
  'GET /admin/list-organizations',
  'GET /admin/get-organization',
  'POST /admin/suspend-organization',
  'POST /admin/restore-organization',
  'POST /admin/change-organization-owner',
  'GET /admin/counts',
  'GET /admin/list-refused-mails',
  'POST /admin/retry-refused-mail',
  'POST /admin/drop-refused-mail',
  'GET /admin/list-webhooks',
  'GET /admin/list-webhook-deliveries',
  'GET /admin/list-services',
  'GET /admin/list-settings',
  'GET /admin/list-user-api-keys',
  'POST /admin/revoke-user-api-key',
  'POST /name-session',
  'POST /reauthenticate',
  'GET /reauthentication',
  'GET /reset-password',
  'GET /verify-email',
  'POST /undo-email-change',
  'GET /export-data',
  'GET /jwks',
  'GET /token',
  'GET /verify',
  'GET /list-activity',
  'GET /get-security',
  'POST /set-picture',
  'POST /take-provider-picture',
  'POST /remove-picture',
  'GET /pictures/{name}.webp',
  'POST /introspect',
  'GET /events',
  'GET /events/stream',
  'GET /organization/get-organization',
  'GET /protection/get',
  'POST /protection/lock',
  'POST /protection/request-unlock',
  'POST /protection/cancel-unlock',
  'POST /protection/unlock-with-key',
  'POST /protection/lift-hold',
  'POST /protection/set-phrase',
  'POST /protection/undo-panic',
  'POST /panic',
  'POST /api-key/create',
  'GET /api-key/list',
  'GET /api-key/get',
  'POST /api-key/update',
  'POST /api-key/delete',
  'POST /api-key/report',
  'POST /api-key/verify',
  'POST /allow-list/add',
  'POST /allow-list/remove',
  'GET /allow-list/list',
  'POST /allow-list/set-enabled',
  'POST /allow-list/check',
  'POST /confirmation/create',
  'GET /confirmation/get',
  'POST /confirmation/approve',
  'POST /confirmation/reject',
  'POST /confirmation/consume',
  'POST /sign-up/passkey',
  'GET /passkey/generate-register-options',
  'POST /passkey/verify-registration',
  'GET /passkey/generate-authenticate-options',
  'POST /passkey/verify-authentication',
  'GET /passkey/list-user-passkeys',
  'POST /passkey/update-passkey',
  'POST /passkey/delete-passkey',
  'POST /organization/check-slug',
  'POST /organization/set-active',
  'POST /organization/accept-membership',
  'POST /organization/leave',
  'GET /organization/list-members',
  'GET /organization/get-active-member',
  'GET /organization/get-active-member-role',
  'POST /organization/has-permission',
  'POST /organization/invite-member',
  'POST /organization/accept-invitation',
  'POST /organization/reject-invitation',
  'POST /organization/cancel-invitation',
  'GET /organization/get-invitation',
  'GET /organization/list-invitations',
  'GET /organization/list-user-invitations',
  'GET /organization/list-activity',
  'POST /two-factor/get-totp-uri',
  'POST /two-factor/send-otp',
  'POST /two-factor/verify-otp',
  'POST /two-factor/view-backup-codes',
  'GET /two-factor/list-trusted-devices',
  'POST /two-factor/revoke-trusted-device',
]

describe('the route table and the specification', () => {
  test('the specification has 34 rows, each once', () => {
    expect(specRows).toHaveLength(34)
    expect(specRows.filter(({ path }) => path.includes(':'))).toHaveLength(1)
    expect(new Set(specifiedRoutes).size).toBe(specifiedRoutes.length)
  })

  test('every route is a row or an alias of the specification, or one that Floorpass adds', () => {
    expect(
      addresses
        .map(getName)
        .filter((address) => !specifiedRoutes.includes(address))
        .toSorted(),
    ).toEqual(addedRoutes.toSorted())
  })

  test('no route is listed twice', () => {
    expect(new Set(addresses.map(getName)).size).toBe(addresses.length)
  })

  test('every row of the specification is served', () => {
    const served = new Set(addresses.map(getName))
    expect(specifiedRoutes.filter((row) => !served.has(row))).toEqual([])
  })
})

describe('the module words', () => {
  const words = specs.map((name) => basename(name, '.md'))

  test.each(words)('%s is not part of another module word or of the path of the tests', (word) => {
    expect([...words, 'packages/functions/src/tests'].filter((other) => other !== word && other.includes(word))).toEqual([])
  })
})
