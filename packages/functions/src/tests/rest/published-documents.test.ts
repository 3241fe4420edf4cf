import { fileURLToPath } from 'node:url'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { everyProvider, serviceKey } from '@floorpass/testing/route-samples'
import { expect, test } from 'vitest'

const app = await createTestApp({ ...everyProvider, SERVICE_KEYS: serviceKey })
const docs = fileURLToPath(new URL('../../../../../docs/', import.meta.url))

// Generated clients and other services rely on both. `npm test -- published-documents -u` accepts a change: review its diff.
test.each(['openapi.json', 'asyncapi.json'])('docs/%s is what the service answers', async (name) => {
  const { body } = await app.browser().get(`/auth/${name}`)
  await expect(`${JSON.stringify(body, null, 1)}\n`).toMatchFileSnapshot(docs + name)
})
