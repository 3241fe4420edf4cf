import { expect, test } from 'vitest'
import { createTestApp } from '../../test-support/create-test-app.ts'
import { describeEveryRoute } from '../../test-support/every-route.ts'
import { addresses, everyProvider, routeSamples } from '../../test-support/route-samples.ts'

// The rows of organizations have a file of their own: two processes share the thousand tests.
await describeEveryRoute(addresses.filter(({ path }) => !path.startsWith('/organization/')))

test('every row that takes something has a sample', async () => {
  const samples = routeSamples(await createTestApp(everyProvider))
  const withInput = addresses.filter(({ input }) => input !== null).map(({ method, path }) => `${method} ${path}`)
  expect(Object.keys(samples).sort()).toEqual(withInput.sort())
})
