import { createOperator, restoreUser, suspendUser } from '@floorpass/api/administration'
import { createFollower, createVerifier, type Verification } from '@floorpass/server'
import { closeAfterFile } from '@floorpass/testing/close-after-file'
import { createTestApp, type SignedIn } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { serviceKey } from '@floorpass/testing/route-samples'
import { expect, test } from 'vitest'

const app = await createTestApp({ SERVICE_KEYS: serviceKey })
const toApp: typeof fetch = (input, init) => app.edge.fetch(new Request(input, init), { peerAddress: '127.0.0.1' })
const follower = createFollower({ serviceUrl: app.baseUrl, serviceKey, fetch: toApp })
closeAfterFile(async () => follower.stop())
follower.start()
await follower.ready()
const verifier = createVerifier({ issuer: app.baseUrl, audience: app.baseUrl, fetch: toApp, follower })

const statusOf = (result: Verification) => (result.ok ? 200 : result.refusal.status)
async function tokenOf(tab: SignedIn): Promise<string> {
  return ((await tab.get('/auth/token')).body as { token: string }).token
}
const verify = async (token: string) => statusOf(await verifier.verifyToken(token))
const newTokenPasses = (tab: SignedIn) => eventually(async () => expect(await verify(await tokenOf(tab))).toBe(200))

const lock = { lockKind: 'owner', lockedAt: new Date(), unlockDays: 3 } as const
const changes: Record<string, (tab: SignedIn) => Promise<unknown>> = {
  'a hold starts': ({ userId }) =>
    app.db.user.update({ where: { id: userId }, data: { heldUntil: new Date(Date.now() + 3_600_000) } }),
  'the account is locked': ({ userId }) => app.db.user.update({ where: { id: userId }, data: lock }),
  'trading is switched on': (tab) => tab.post('/auth/update-user', { tradingEnabled: true }),
}

test.each(Object.entries(changes))('a token from before is refused when %s, and a new one is accepted', async (_, change) => {
  const tab = await app.signedIn()
  const token = await tokenOf(tab)
  expect(await verify(token)).toBe(200)
  await change(tab)
  await eventually(async () => expect(await verify(token)).toBe(401))
  await newTokenPasses(tab)
})

test('a suspended user is refused, and accepted with a new session after the suspension', async () => {
  const tab = await app.signedIn()
  const token = await tokenOf(tab)
  expect(await verify(token)).toBe(200)
  const operator = createOperator(app.service.deps, 'grace')
  await suspendUser(operator, tab.userId, 'a test')
  await eventually(async () => expect(await verify(token)).toBe(401))
  expect(follower.changedSince(tab.userId, Date.now() - 1_000)).toBe(true)
  await restoreUser(operator, tab.userId, 'a test', { clearPassword: false })
  await tab.post('/auth/sign-in/email', { email: tab.person.email, password: tab.person.password })
  await newTokenPasses(tab)
  expect(await verify(token)).toBe(401)
})
