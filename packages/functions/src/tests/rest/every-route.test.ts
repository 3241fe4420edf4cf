import { createTestApp } from '@floorpass/testing/create-test-app'
import { describeEveryRoute } from '@floorpass/testing/every-route'
import { addresses, everyProvider, routeSamples } from '@floorpass/testing/route-samples'
import { expect, test } from 'vitest'

// The rows of organizations have a file of their own: two processes share the thousand tests.
await describeEveryRoute(addresses.filter(({ path }) => !path.startsWith('/organization/')))

test('every row that takes something has a sample', async () => {
  const samples = routeSamples(await createTestApp(everyProvider))
  const withInput = addresses.filter(({ input }) => input !== null).map(({ method, path }) => `${method} ${path}`)
  expect(Object.keys(samples).sort()).toEqual(withInput.sort())
})
