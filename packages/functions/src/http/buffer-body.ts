import { AppError, policy } from '@floorpass/api'

const { largestBody } = policy

/** A form, or a call: of these a server hands over the bytes at once, and no stream is made for them. Of other methods it may not. */
const smallBody = 4096
const withBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * The request with its body read into memory, counted while it came, whatever length it claimed. PAYLOAD_TOO_LARGE before the rest
 * is read; BAD_REQUEST when the caller hung up half-way, which must not pass for a lost database connection. `isFramed`: the transport
 * hands over no byte beyond the length that was claimed.
 */
export async function withBufferedBody(request: Request, isFramed = false): Promise<Request> {
  const { url, method, headers } = request
  const claimed = headers.get('content-length')
  if (isFramed && withBody.has(method) && claimed !== null && Number(claimed) <= smallBody) {
    return new Request(url, { method, headers, body: await request.arrayBuffer().catch(tellBroken) })
  }
  // Asking for a body makes the whole request, which a server that has none to give puts off.
  if (method === 'GET' || method === 'HEAD' || request.body === null) return request
  if (Number(claimed) > largestBody) throw new AppError('PAYLOAD_TOO_LARGE')
  return new Request(url, { method, headers, body: await read(request.body) })
}

function tellBroken(cause: unknown): never {
  throw new AppError('BAD_REQUEST', { message: 'The request body did not arrive whole', cause })
}

async function read(body: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  // Of the caller's chunks none is kept: bytes that come one by one would be as many objects. The length that was claimed reserves nothing.
  let bytes = new Uint8Array(0)
  let size = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch(tellBroken)
    if (done) return bytes.subarray(0, size)
    const end = size + value.length
    if (end > largestBody) throw new AppError('PAYLOAD_TOO_LARGE')
    if (end > bytes.length) {
      const grown = new Uint8Array(Math.min(largestBody, Math.max(end, 2 * bytes.length)))
      grown.set(bytes)
      bytes = grown
    }
    bytes.set(value, size)
    size = end
  }
}
