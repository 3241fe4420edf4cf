import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { checkReceipt, ReceiptRefused, type ReceiptRules } from './check-receipt.ts'

type Order = { amount: string; currency: string; address: string }
type Withdrawal = Order & { id: string; userId: string; isPaid: boolean }
type Caller = { userId: string; sessionId: string | null }

export type WithdrawalService = {
  url: string
  audience: string
  paid: Withdrawal[]
  pins: Map<string, string>
  close(): void
}

type Options = {
  port: number
  floorpass: { url: string; origin: string }
  serviceKey: string
  now: () => number
}

class Refused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

/** A toy service that pays out. It uses Floorpass through HTTP routes and a service secret only. */
export async function startWithdrawalService({ port, floorpass, serviceKey, now }: Options): Promise<WithdrawalService> {
  const withdrawals = new Map<string, Withdrawal>()
  const paid: Withdrawal[] = []
  const pins = new Map<string, string>()
  let keys: ReceiptRules['keys'] = []

  const call = async <Body>(
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Body & { headers: Headers }> => {
    const response = await fetch(floorpass.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer = response.headers.get('content-type')?.includes('json') ? await response.json() : {}
    if (!response.ok) throw new Refused(response.status, answer.code)
    return { ...answer, headers: response.headers }
  }
  const ask = <Body>(path: string, body: unknown) => call<Body>(path, body, { authorization: `Bearer ${serviceKey}` })

  async function findCaller(request: IncomingMessage, body: Buffer): Promise<Caller> {
    const { cookie, authorization, signature } = request.headers
    if (cookie !== undefined) {
      const { headers } = await call('/auth/verify?scope=withdrawal:create', undefined, { cookie, 'x-service-key': serviceKey })
      return { userId: headers.get('x-auth-user') ?? '', sessionId: headers.get('x-auth-session') ?? '' }
    }
    const question =
      signature === undefined
        ? { key: authorization?.replace(/^Bearer /, '') ?? '' }
        : { request: describeRequest(request, body) }
    const { valid, key, error } = await ask<{ valid: boolean; key: { userId: string } | null; error: { code: string } | null }>(
      '/auth/api-key/verify',
      { ...question, permissions: { withdrawal: ['create'] }, ip: '127.0.0.1' },
    )
    if (!valid || !key) throw new Refused(401, error?.code ?? 'INVALID_API_KEY')
    return { userId: key.userId, sessionId: null }
  }

  const describeRequest = ({ method, url, headers }: IncomingMessage, body: Buffer) => ({
    method,
    url: `${service.url}${url}`,
    headers: Object.fromEntries(
      ['signature', 'signature-input', 'content-digest'].flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])),
    ),
    ...(body.length > 0 && { body: body.toString('base64') }),
  })

  async function requireAllowed({ userId, address }: Withdrawal): Promise<void> {
    const { allowed } = await ask<{ allowed: boolean }>('/auth/allow-list/check', { userId, kind: 'bitcoin', value: address })
    if (!allowed) throw new Refused(403, 'ADDRESS_NOT_ALLOWED')
  }

  /** A key may ask for a withdrawal. Only a session of the owner can confirm it. */
  async function start(caller: Caller, withdrawal: Withdrawal): Promise<object> {
    await requireAllowed(withdrawal)
    withdrawals.set(withdrawal.id, withdrawal)
    if (caller.sessionId === null) return { id: withdrawal.id, code: 'WAITS_FOR_OWNER' }
    const { headers: _, ...confirmation } = await ask('/auth/confirmation/create', {
      userId: caller.userId,
      sessionId: caller.sessionId,
      authorization_details: [describe(withdrawal)],
      audience: service.audience,
    })
    return { id: withdrawal.id, confirmation }
  }

  async function pay(withdrawal: Withdrawal, receipt: string): Promise<object> {
    const published = await call<{ keys: ReceiptRules['keys'] }>('/auth/jwks').catch(() => ({ keys }))
    keys = published.keys
    const { origin } = floorpass
    const { hostname: rpId } = new URL(origin)
    const rules = { issuer: origin, origin, audience: service.audience, rpId, keys, now: now(), pins }
    const { sub, jti, authorization_details: details } = checkReceipt(receipt, rules)
    if (sub !== withdrawal.userId || !isSame(details, withdrawal)) throw new Refused(403, 'RECEIPT_FOR_ANOTHER_WITHDRAWAL')
    if (withdrawal.isPaid) throw new Refused(409, 'ALREADY_PAID')
    await requireAllowed(withdrawal)
    const used = await ask<{ authorization_details: unknown }>('/auth/confirmation/consume', { jti, audience: service.audience })
    if (!isSame(used.authorization_details, withdrawal)) throw new Refused(403, 'RECEIPT_FOR_ANOTHER_WITHDRAWAL')
    // Another receipt for this withdrawal may have been consumed while this one waited.
    if (withdrawal.isPaid) throw new Refused(409, 'ALREADY_PAID')
    withdrawal.isPaid = true
    paid.push(withdrawal)
    return { status: 'paid' }
  }

  async function answer(request: IncomingMessage): Promise<object> {
    const body = await buffer(request)
    const input = JSON.parse(body.toString() || '{}') as Partial<Order> & { receipt?: string }
    const [, , id, step] = request.url?.split('/') ?? []
    if (request.method !== 'POST' || !request.url?.startsWith('/withdrawals')) throw new Refused(404, 'NOT_FOUND')
    const known = id === undefined ? null : (withdrawals.get(id) ?? null)
    if (known && step === 'pay') return pay(known, input.receipt ?? '')
    const caller = await findCaller(request, body)
    const { amount = '', currency = '', address = '' } = input
    if (id === undefined)
      return start(caller, { id: randomUUID(), userId: caller.userId, amount, currency, address, isPaid: false })
    if (known?.userId !== caller.userId) throw new Refused(404, 'NOT_FOUND')
    return start(caller, known)
  }

  const server = createServer(async (request, response) => {
    const reply = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    try {
      const body = await answer(request)
      reply('code' in body ? 202 : 200, body)
    } catch (error) {
      if (error instanceof Refused) reply(error.status, { code: error.code })
      else if (error instanceof ReceiptRefused) reply(403, { code: error.message })
      else reply(503, { code: 'SERVICE_UNAVAILABLE', message: String(error) })
    }
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const service = {
    url,
    audience: url,
    paid,
    pins,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return service
}

const describe = ({ id, amount, currency, address }: Withdrawal) => ({ type: 'withdrawal', id, amount, currency, address })

const isSame = (details: unknown, withdrawal: Withdrawal): boolean => {
  const [detail, ...more] = Array.isArray(details) ? (details as Record<string, unknown>[]) : []
  const expected = Object.entries(describe(withdrawal))
  return (
    more.length === 0 &&
    detail !== undefined &&
    Object.keys(detail).length === expected.length &&
    expected.every(([name, value]) => detail[name] === value)
  )
}
