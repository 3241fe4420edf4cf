import { outcome } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { impersonate } from '@floorpass/testing/impersonation'
import { addresses, addressOf, everyProvider, routeSamples, type SignedIn, serviceKey } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'
import { recordCall } from '../../reference/record-call.ts'
import type { Route } from '../../rest/routes.ts'

const app = await createTestApp({ ...everyProvider, SERVICE_KEYS: serviceKey })
const samples = routeSamples(app)

const readOnly = [403, 'IMPERSONATION_READ_ONLY']

/** What an administrator sees of an opened account. A new read needs an entry here or in `closed`. */
const open = [
  'GET /reauthentication',
  'GET /get-session',
  'GET /list-sessions',
  'GET /reset-password',
  'GET /list-activity',
  'GET /pictures/{name}.webp',
  'GET /get-security',
  'GET /api-key/list',
  'GET /api-key/get',
  // Without the user's own words: impersonation.test.ts.
  'GET /protection/get',
  'GET /allow-list/list',
  'GET /list-user-accounts',
  'GET /list-accounts',
  'GET /organization/list',
  'GET /organization/get',
  'GET /organization/get-full-organization',
  'GET /organization/get-organization',
  'GET /organization/list-members',
  'GET /organization/get-active-member',
  'GET /organization/get-active-member-role',
  'POST /organization/has-permission',
  'GET /organization/get-invitation',
  'GET /organization/list-invitations',
  'GET /organization/list-user-invitations',
  'GET /organization/list-activity',
  'GET /two-factor/list-trusted-devices',
  'GET /passkey/list-user-passkeys',
  'POST /admin/has-permission',
  'GET /jwks',
]

/** Reads that show a secret, leave the service, or let another service take the administrator for the user. */
const closed = ['GET /export-data', 'GET /confirmation/get', 'GET /verify', 'GET /token']

/** GET routes that change something. */
const changing = [
  'GET /sign-in/social',
  'GET /callback/google',
  'GET /callback/github',
  'GET /verify-email',
  'GET /passkey/generate-register-options',
  'GET /passkey/generate-authenticate-options',
]

const allowed = ['POST /sign-out', 'POST /admin/stop-impersonating']

const nameOf = ({ method, path }: Route) => `${method} ${path}`

/** The outcome in an impersonated session. Null: as in the session of the user. */
function expectedOf(route: Route): unknown {
  const name = nameOf(route)
  if (allowed.includes(name) || open.includes(name)) return null
  // No cookie opens a route for other services.
  if (route.access === 'service' && recordCall(route, {})?.kind !== 'mutation') return [401, 'UNAUTHORIZED']
  return readOnly
}

test('every read is open or closed to an administrator who impersonates, by a decision', () => {
  const decided = [...open, ...closed, ...changing, ...allowed]
  const undecided = addresses.filter(
    (route) =>
      !decided.includes(nameOf(route)) &&
      !['service', 'administrator'].includes(route.access) &&
      recordCall(route, {})?.kind !== 'mutation',
  )
  expect(undecided.map(nameOf)).toEqual([])
  expect(decided.filter((name) => !addresses.some((route) => nameOf(route) === name))).toEqual([])
})

test('the reference lists the refusal for every route that gives it, and for no other', async () => {
  type Response = { content?: Record<string, { examples?: object }> }
  const { body } = await app.browser().get('/auth/openapi.json')
  const { paths } = body as { paths: Record<string, Record<string, { responses: Record<string, Response> }>> }
  const isListed = ({ method, path }: Route) =>
    'IMPERSONATION_READ_ONLY' in
    (paths[`/auth${path}`]?.[method.toLowerCase()]?.responses[403]?.content?.['application/json']?.examples ?? {})
  // These have one answer only.
  const routes = addresses.filter(({ refuses }) => refuses === null)
  expect(routes.filter(isListed).map(nameOf)).toEqual(routes.filter((route) => expectedOf(route) === readOnly).map(nameOf))
})

describe.each(addresses.filter((route) => expectedOf(route) !== null))('$method $path', (route) => {
  test('is refused in an impersonated session, and changes nothing', async () => {
    const { method, path, access } = route
    const user = await app.signedIn()
    const owner = access === 'administrator' ? await app.signedIn() : user
    const input = (await samples[nameOf(route)]?.(owner)) ?? {}
    const tab = await impersonate(app, user)
    await app.drainMail()
    const before = await app.digests()
    const cookies = [...tab.cookies]
    const address = addressOf(path, input)
    const answer =
      method === 'POST'
        ? await tab.post(address, input)
        : await tab.get(`${address}?${new URLSearchParams(input as Record<string, string>)}`)
    expect([...outcome(answer), answer.setCookies]).toEqual([...(expectedOf(route) as unknown[]), []])
    await app.drainMail()
    expect(await app.digests()).toEqual(before)
    expect([...tab.cookies]).toEqual(cookies)
  })
})

describe.each(addresses.filter((route) => open.includes(nameOf(route))))('$method $path', (route) => {
  test('answers in an impersonated session as in a session of the user', async () => {
    const user = await app.signedIn()
    const input = (await samples[nameOf(route)]?.(user)) ?? {}
    await app.db.user.update({ where: { id: user.userId }, data: { role: null } })
    const tab = await impersonate(app, user)
    const call = (from: SignedIn) => {
      const address = addressOf(route.path, input)
      return route.method === 'POST'
        ? from.post(address, input)
        : from.get(`${address}?${new URLSearchParams(input as Record<string, string>)}`)
    }
    const [own, seen] = [await call(user), await call(tab)]
    expect(outcome(seen)).toEqual(outcome(own))
  })
})
