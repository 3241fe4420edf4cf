import { createTestApp } from '@floorpass/testing/create-test-app'
import { describeEveryRoute } from '@floorpass/testing/every-route'
import { addresses, everyProvider, routeSamples } from '@floorpass/testing/route-samples'
import { expect, test } from 'vitest'

// The organization routes run in their own file, so that two processes share the thousand tests.
await describeEveryRoute(addresses.filter(({ path }) => !path.startsWith('/organization/')))

test('every route with an input has a sample', async () => {
  const samples = routeSamples(await createTestApp(everyProvider))
  const withInput = addresses.filter(({ input }) => input !== null).map(({ method, path }) => `${method} ${path}`)
  // These take no input, but need a state, or the role of an administrator.
  const withState = [
    'POST /admin/stop-impersonating',
    'POST /protection/request-unlock',
    'POST /protection/cancel-unlock',
    'GET /admin/counts',
    'GET /admin/list-webhooks',
    'GET /admin/list-services',
    'GET /admin/list-settings',
  ]
  expect(Object.keys(samples).sort()).toEqual([...withInput, ...withState].sort())
})
