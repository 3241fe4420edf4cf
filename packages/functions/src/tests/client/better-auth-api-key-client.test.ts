import { apiKeyClient } from '@better-auth/api-key/client'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { createAuthClient } from 'better-auth/client'
import { expect, test } from 'vitest'

const app = await createTestApp()

/** better-auth's own client with its plugin for API keys, in a signed-in browser. */
async function signedInClient() {
  const tab = await app.signedIn()
  const { apiKey } = createAuthClient({
    baseURL: app.baseUrl,
    basePath: '/auth',
    plugins: [apiKeyClient()],
    fetchOptions: { customFetchImpl: tab.fetch },
  })
  return { tab, apiKey }
}

test("better-auth's API key client completes every call", async () => {
  const { tab, apiKey } = await signedInClient()
  const created = await apiKey.create({ name: 'Bot', prefix: 'desk_', expiresIn: 86_400, metadata: { desk: 3 } })
  expect(created.error).toBeNull()
  expect(created.data).toMatchObject({
    name: 'Bot',
    prefix: 'desk_',
    start: expect.stringMatching(/^desk_/),
    key: expect.stringMatching(/^desk_fp_user_/),
    referenceId: tab.userId,
    metadata: { desk: 3 },
    enabled: true,
    remaining: null,
  })
  expect(created.data?.expiresAt).toBeInstanceOf(Date)
  const id = created.data?.id ?? ''
  expect((await apiKey.list({ query: { limit: 10 } })).data).toMatchObject({
    total: 1,
    limit: 10,
    apiKeys: [{ id, name: 'Bot' }],
  })
  expect((await apiKey.get({ query: { id } })).data).toMatchObject({ id, lastRequest: null })
  expect((await apiKey.update({ keyId: id, name: 'Old bot', enabled: false })).data).toMatchObject({
    name: 'Old bot',
    enabled: false,
  })
  expect((await apiKey.delete({ keyId: id })).data).toEqual({ success: true })
  expect((await apiKey.get({ query: { id } })).error).toMatchObject({ status: 404, code: 'KEY_NOT_FOUND' })
  expect((await apiKey.list()).data).toMatchObject({ total: 0, apiKeys: [] })
})

test('the refusals have the codes that the client knows', async () => {
  const { apiKey } = await signedInClient()
  const codeOf = async (call: Promise<{ error: { code?: string | undefined } | null }>) => (await call).error?.code
  expect(await codeOf(apiKey.create({ name: 'x'.repeat(33) }))).toBe('INVALID_NAME_LENGTH')
  expect(await codeOf(apiKey.create({ expiresIn: 60 }))).toBe('EXPIRES_IN_IS_TOO_SMALL')
  expect(await codeOf(apiKey.create({ remaining: 5 }))).toBe('SERVER_ONLY_PROPERTY')
  expect(await codeOf(apiKey.create({ userId: 'another' }))).toBe('UNAUTHORIZED_SESSION')
  expect(await codeOf(apiKey.update({ keyId: 'none', name: 'x' }))).toBe('KEY_NOT_FOUND')
  expect(await codeOf(apiKey.update({ keyId: 'none' }))).toBe('NO_VALUES_TO_UPDATE')
})
