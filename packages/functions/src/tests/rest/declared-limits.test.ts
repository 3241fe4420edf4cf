import { limits } from '@floorpass/api'
import { addressBlock } from '@floorpass/api/address-block'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { declaredRoutes } from '@floorpass/testing/declarations'
import { eventually } from '@floorpass/testing/eventually'
import { everyProvider, routeSamples } from '@floorpass/testing/route-samples'
import { expect, test } from 'vitest'

const app = await createTestApp({ ...everyProvider, RATE_LIMIT: 'on' })
const unlimited = await createTestApp(everyProvider)
const samples: ReturnType<typeof routeSamples> = {
  ...routeSamples(unlimited),
  'POST /organization/set-active': async () => ({ organizationId: null }),
}
const tab = await app.signedIn()
const limited = declaredRoutes.flatMap(({ path, declared: { limit } }) => (limit === null ? [] : [{ path, limit }]))

test.each(limited)('$path refuses a caller whose $limit is used up', async ({ path, limit }) => {
  const body = (await samples[`POST ${path}`]?.(await unlimited.signedIn())) ?? {}
  const ip = '198.51.100.7'
  const key = limits[limit].counts === 'ip' ? addressBlock(ip) : tab.userId
  await app.service.deps.limiter.block(limit, key, 60)
  expect(await tab.post(`/auth${path}`, body, { ip })).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' })
  await app.service.deps.limiter.reset(limit, key)
})

/** Routes that mail only in cases that the samples do not contain, such as an unknown device or a locked password. */
const conditional = new Set([
  '/sign-in/email',
  '/reauthenticate',
  '/verify-email',
  '/organization/create',
  '/organization/accept-invitation',
  '/two-factor/enable',
  '/two-factor/get-totp-uri',
  '/passkey/verify-authentication',
])
const mailing = declaredRoutes.filter(({ path, declared: { mails } }) => mails.length > 0 && !conditional.has(path))

test.each(mailing)('$path sends its mail by itself', async ({ path }) => {
  const caller = await unlimited.signedIn()
  const body = (await samples[`POST ${path}`]?.(caller)) ?? {}
  await unlimited.drainMail()
  const sent = unlimited.outbox.mails.length
  await caller.post(`/auth${path}`, body)
  await eventually(async () => expect(await unlimited.db.queuedMail.count()).toBe(0))
  expect(unlimited.outbox.mails.length).toBeGreaterThan(sent)
})
