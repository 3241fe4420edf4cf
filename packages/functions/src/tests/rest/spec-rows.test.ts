import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { providerIds } from '@floorpass/api/contracts'
import { addresses } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const folder = new URL('../../../../../docs/specs/', import.meta.url)
const specs = readdirSync(folder).filter((name) => name.endsWith('.md'))

/** The specification's rows below /auth, in its order, each followed by the other names it answers to. The preflight row is tests/cors. */
const specRows = specs.flatMap((name) =>
  readFileSync(new URL(name, folder), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, method = '', path = '', , , aliases = ''] = line.split('|').map((cell) => cell.trim())
      if (!/^(GET|POST)$/.test(method) || !path.startsWith('/auth/')) return []
      return [{ method, path: path.slice('/auth'.length).replace(/<(\w+)>/, ':$1'), aliases }]
    }),
)

const named = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

/** `link-social` replaces the last segment, `/add-member` the last two; `POST, for the client` is the same path by another method. */
const aliasesOf = ({ path, aliases }: (typeof specRows)[number], method: string) => [
  ...[...aliases.matchAll(/`([\w/-]+)`/g)].map(
    ([, alias = '']) => `${method} ${path.replace(alias.startsWith('/') ? /\/[^/]+\/[^/]+$/ : /[^/]+$/, alias)}`,
  ),
  ...[...aliases.matchAll(/\b(GET|POST)\b/g)].map(([other]) => `${other} ${path}`),
]

/** `:provider` is a row for each. */
const promised = specRows
  .flatMap((row) => [named(row), ...aliasesOf(row, row.method)])
  .flatMap((row) => (row.endsWith(':provider') ? providerIds.map((id) => row.replace(':provider', id)) : [row]))

/** What the specification does not name: halves of its flows that Floorpass adds. */
const ours = [
  'POST /reauthenticate',
  'GET /reauthentication',
  'GET /reset-password',
  'GET /verify-email',
  'POST /undo-email-change',
  'GET /export-data',
  'GET /list-activity',
  'GET /get-security',
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
  'POST /two-factor/get-totp-uri',
  'POST /two-factor/send-otp',
  'POST /two-factor/verify-otp',
  'POST /two-factor/view-backup-codes',
  'GET /two-factor/list-trusted-devices',
  'POST /two-factor/revoke-trusted-device',
]

describe('the route table and the specification', () => {
  test('the specification has its 34 rows, each once', () => {
    expect(specRows).toHaveLength(34)
    expect(specRows.filter(({ path }) => path.includes(':'))).toHaveLength(1)
    expect(new Set(promised).size).toBe(promised.length)
  })

  test('every route is in the specification, as a row or as another name of one', () => {
    expect(
      addresses
        .map(named)
        .filter((address) => !promised.includes(address))
        .toSorted(),
    ).toEqual(ours.toSorted())
  })

  test('no route is there twice', () => {
    expect(new Set(addresses.map(named)).size).toBe(addresses.length)
  })

  test('these rows are still missing, and no others', () => {
    const served = new Set(addresses.map(named))
    expect(promised.filter((row) => !served.has(row))).toEqual([])
  })
})

describe('the module words', () => {
  const words = specs.map((name) => basename(name, '.md'))

  test.each(words)('%s is no part of another one, nor of the path that all tests share', (word) => {
    expect([...words, 'packages/functions/src/tests'].filter((other) => other !== word && other.includes(word))).toEqual([])
  })
})
