import { randomUUID } from 'node:crypto'
import { limits, policy } from '@floorpass/api'
import { addressBlock } from '@floorpass/api/address-block'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { declaredRoutes } from '@floorpass/testing/declarations'
import { eventually } from '@floorpass/testing/eventually'
import { addPasskey, createAssertion } from '@floorpass/testing/passkeys'
import { everyProvider, routeSamples, type SignedIn } from '@floorpass/testing/route-samples'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
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

/** One more wrong password pauses the password on this device. */
const lastGuess = async ({ userId }: SignedIn) => {
  await unlimited.db.account.updateMany({ where: { userId }, data: { knownGuesses: policy.passwordGuesses.known - 1 } })
  return { password: 'a wrong password' }
}
/** Ends in a membership that the user has not accepted, so that the next one drops it. */
const fillMemberships = async ({ userId }: SignedIn) => {
  for (let slot = 1; slot <= policy.organizations.perUser; slot += 1)
    await unlimited.db.organization.create({
      data: { name: 'Desk', slug: randomUUID(), members: { create: { userId, role: 'member', slot, acceptedAt: null } } },
    })
}
/** Inputs that mail, for the routes whose common input does not. */
const mailingSamples: typeof samples = {
  'POST /sign-in/email': async (caller) => ({ email: caller.person.email, ...(await lastGuess(caller)) }),
  'POST /reauthenticate': lastGuess,
  'POST /two-factor/get-totp-uri': lastGuess,
  'POST /verify-email': async (caller) => {
    const { email: newEmail } = unlimited.person()
    await caller.post('/auth/change-email', { newEmail })
    await unlimited.drainMail()
    return { token: unlimited.outbox.lastTo(newEmail).token }
  },
  'POST /organization/create': async (caller) => {
    await fillMemberships(caller)
    return { name: 'Desk', slug: randomUUID() }
  },
  'POST /organization/accept-invitation': async (caller) => {
    await fillMemberships(caller)
    return samples['POST /organization/accept-invitation']?.(caller) ?? {}
  },
  'POST /two-factor/enable': async (caller) => {
    await addPasskey(caller, createSoftwareAuthenticator())
    return { method: 'passkey', password: caller.person.password }
  },
  'POST /confirmation/approve': async (caller) => {
    const fields = await samples['POST /confirmation/approve']?.(caller)
    await unlimited.db.passkey.updateMany({ where: { userId: caller.userId }, data: { counter: 7 } })
    return fields ?? {}
  },
  'POST /passkey/verify-authentication': async (caller) => {
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(caller, authenticator)
    await unlimited.db.passkey.updateMany({ where: { userId: caller.userId }, data: { counter: 7 } })
    return { response: await createAssertion(caller, authenticator, { counter: 6 }) }
  },
}
const mailing = declaredRoutes.filter(({ declared: { mails } }) => mails.length > 0)

test.each(mailing)('$path sends its mail by itself', async ({ path }) => {
  const caller = await unlimited.signedIn()
  const sample = mailingSamples[`POST ${path}`] ?? samples[`POST ${path}`]
  const body = (await sample?.(caller)) ?? {}
  await unlimited.drainMail()
  const sent = unlimited.outbox.mails.length
  await caller.post(`/auth${path}`, body)
  await eventually(async () => expect(await unlimited.db.queuedMail.count()).toBe(0))
  expect(unlimited.outbox.mails.length).toBeGreaterThan(sent)
})
