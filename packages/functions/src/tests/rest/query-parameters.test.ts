import { createTestApp } from '@floorpass/testing/create-test-app'
import { addresses, addressOf, everyProvider, routeSamples, serviceKey } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ ...everyProvider, SERVICE_KEYS: serviceKey })
const samples = routeSamples(app)
/** GET /sign-in/social replaces the scopes, and takes no ID token. */
const unread = ['scopes', 'idToken']
const namesOf = ({ path, input }: (typeof addresses)[number]) =>
  Object.keys((input as { shape?: object } | null)?.shape ?? {}).filter(
    (name) => !path.includes(`{${name}}`) && !unread.includes(name),
  )
/** A callback answers every mistake with a redirect to a page. */
const routes = addresses
  .filter(({ method, path }) => method === 'GET' && !path.startsWith('/callback/'))
  .map((route) => ({ path: route.path, access: route.access, names: namesOf(route) }))
  .filter(({ names }) => names.length > 0)
/** Several values mean something only here. */
const isList = (name: string) => name === 'filterValue'

describe.each(routes)('GET /auth$path', ({ path, access, names }) => {
  const ask = async (change: (query: URLSearchParams) => void) => {
    const tab = await app.signedIn()
    const sample = (await samples[`GET ${path}`]?.(tab)) as Record<string, string>
    const query = new URLSearchParams(sample)
    change(query)
    const headers: Record<string, string> = access === 'service' ? { authorization: `Bearer ${serviceKey}` } : {}
    const { status, body } = await tab.get(`${addressOf(path, sample)}?${query}`, { headers })
    return [status, body]
  }
  // To a gateway, a request that is not valid is one that is not allowed.
  const refusal = (message: string) => [
    path === '/verify' ? 403 : 400,
    { code: 'VALIDATION_ERROR', message: expect.stringContaining(message) },
  ]

  test.each(names)('names %s when it has a NUL character', async (name) => {
    expect(await ask((query) => query.set(name, 'a\u0000b'))).toEqual(refusal(`[query.${name}] `))
  })

  test.each(names.filter((name) => !isList(name)))('names %s when it is repeated', async (name) => {
    const repeat = (query: URLSearchParams) => {
      query.set(name, '1')
      query.append(name, '2')
    }
    expect(await ask(repeat)).toEqual(refusal(`[query.${name}] `))
  })
})
