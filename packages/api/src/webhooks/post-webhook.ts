import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { policy } from '../kernel/policy.ts'
import { findAddresses, findUrlProblem, type Resolve, WebhookTargetError } from './webhook-target.ts'

export type WebhookAnswer = { status: number; retryAfter: string | null }

type Options = { headers: Record<string, string>; body: string; allowPrivate: boolean; resolve: Resolve }

/** Sends a POST to a checked address, follows no redirect and reads no body. Rejects without an answer in time. */
export async function postWebhook(address: string, { headers, body, allowPrivate, resolve }: Options): Promise<WebhookAnswer> {
  const problem = findUrlProblem(address, { allowPrivate })
  if (problem) throw new WebhookTargetError(`The URL is refused: ${problem}`)
  const url = new URL(address)
  const signal = AbortSignal.timeout(policy.webhooks.timeout * 1000)
  const { promise: timeout, reject: giveUp } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => giveUp(new Error(`no answer within ${policy.webhooks.timeout} s`)))
  const send = async () => post(url, await findAddresses(url.hostname, { allowPrivate, resolve }), { headers, body, signal })
  return Promise.race([send(), timeout])
}

type Sent = Pick<Options, 'headers' | 'body'> & { signal: AbortSignal }

function post(
  url: URL,
  addresses: Awaited<ReturnType<typeof findAddresses>>,
  { headers, body, signal }: Sent,
): Promise<WebhookAnswer> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      // A new connection, to the checked addresses.
      agent: false,
      rejectUnauthorized: true,
      lookup: (_hostname, options, found) => {
        const [first] = addresses
        if (options.all) found(null, addresses)
        else found(null, first?.address ?? '', first?.family)
      },
      signal,
    })
    request.on('error', reject)
    request.on('response', (response) => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] ?? null })
      response.destroy()
    })
    request.end(body)
  })
}
