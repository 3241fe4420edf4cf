import type { FloorpassAuth } from '@floorpass/client'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { createAuthClient } from 'better-auth/client'
import { inferAdditionalFields, organizationClient, twoFactorClient } from 'better-auth/client/plugins'
import { expect, expectTypeOf, test } from 'vitest'

const app = await createTestApp()

function newClient() {
  const tab = app.browser()
  const client = createAuthClient({
    baseURL: app.baseUrl,
    basePath: '/auth',
    plugins: [inferAdditionalFields<FloorpassAuth>(), twoFactorClient(), organizationClient()],
    fetchOptions: { customFetchImpl: tab.fetch },
  })
  return { client, tab }
}

type Client = ReturnType<typeof newClient>['client']
type RiskLevel = 'conservative' | 'moderate' | 'aggressive'

test("better-auth's client infers the fields of a user from our types", async () => {
  const { client, tab } = newClient()
  const { name, email, password } = app.person()
  await client.signUp.email({ name, email, password, riskLevel: 'moderate' })
  await app.drainMail()
  await tab.post('/auth/verify-email', { token: app.outbox.lastTo(email).token })
  const { data } = await client.signIn.email({ email, password })
  const user = data && 'user' in data ? data.user : undefined
  expect(user).toMatchObject({ riskLevel: 'moderate', tradingEnabled: false })

  expect((await client.updateUser({ riskLevel: 'conservative', tradingEnabled: true })).error).toBeNull()
  const session = (await client.getSession()).data
  expect(session?.user.riskLevel satisfies RiskLevel | undefined).toBe('conservative')
  expect(session?.user.tradingEnabled satisfies boolean | undefined).toBe(true)
})

test('the inferred types are exact', () => {
  type User = Client['$Infer']['Session']['user']
  expectTypeOf<User['riskLevel']>().toEqualTypeOf<RiskLevel>()
  expectTypeOf<User['tradingEnabled']>().toEqualTypeOf<boolean>()
  expectTypeOf<keyof FloorpassAuth['options']['user']['additionalFields']>().toEqualTypeOf<
    'riskLevel' | 'tradingEnabled' | 'heldUntil' | 'role'
  >()
  const update = (fields: Parameters<Client['updateUser']>[0]) => fields
  update({ tradingEnabled: false })
  // @ts-expect-error: not a risk level.
  update({ riskLevel: 'reckless' })
  // @ts-expect-error: not a boolean.
  update({ tradingEnabled: 'yes' })
})
