import { ask, outboxOf, signedInPerson } from '@floorpass/reliability'
import type { ReadConfirmation } from '@floorpass/testing/confirmations'
import { databaseEnvironment, freePort, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'

const rounds = 3
const atOnce = 8

const environment = {
  ...(await databaseEnvironment()),
  DATA_DIR: await temporaryFolder(),
  PORT: String(await freePort()),
  CONFIRMATION_RULES: 'view=none',
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'warn',
}

const audience = `http://localhost:${environment.PORT}`

/** A receipt without our signature, which differs each time. */
const claimsOf = (receipt: unknown) => decodeJwt(String(receipt))

test(`after ${rounds} times kill -9, each approval is there with its receipt or not at all`, async () => {
  let server = await startServer(environment)
  const target = { url: server.url, origin: server.url }
  const { cookie } = await signedInPerson(target, outboxOf(environment.DATA_DIR))
  const call = (method: 'GET' | 'POST', path: string, body?: unknown) =>
    ask(target, method, `/auth/confirmation/${path}`, { cookie, body })
  const create = async () => {
    const fields = { authorization_details: [{ type: 'view' }], audience }
    const { status, body } = await call('POST', 'create', fields)
    expect(status).toBe(200)
    return String(body?.id)
  }
  const outcomes = { acknowledged: 0, lost: 0, pending: 0 }

  for (let round = 0; round < rounds; round += 1) {
    const ids = await Promise.all(Array.from({ length: atOnce }, create))
    const receipts = new Map<string, unknown>()
    const first = Promise.withResolvers<void>()
    const work = ids.map(async (id) => {
      const answer = await call('POST', 'approve', { id }).catch(() => null)
      if (answer?.status === 200) receipts.set(id, answer.body?.receipt)
      first.resolve()
    })
    // While the others are between their approval and their answer.
    await first.promise
    expect((await server.end('SIGKILL')).signal).toBe('SIGKILL')
    await Promise.all(work)

    server = await startServer(environment)
    for (const id of ids) {
      const { status, receipt } = (await call('GET', `get?id=${id}`)).body as unknown as ReadConfirmation
      const known = receipts.get(id)
      if (known !== undefined) expect([status, claimsOf(receipt)]).toEqual(['approved', claimsOf(known)])
      else if (status === 'approved') expect(claimsOf(receipt)).toMatchObject({ jti: id, aud: audience })
      else expect([status, receipt]).toEqual(['pending', null])
      outcomes[known !== undefined ? 'acknowledged' : status === 'approved' ? 'lost' : 'pending'] += 1
    }
  }
  expect((await server.end('SIGTERM')).code).toBe(0)
  console.info(`kill -9 during approvals: ${JSON.stringify(outcomes)}`)
  expect(outcomes.acknowledged).toBeGreaterThanOrEqual(rounds)
})
