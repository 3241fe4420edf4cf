import { AppError, policy } from '@floorpass/api'

const smallBody = 4096
const delimiter = '\r\n--'
const withBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Returns the request with its body in memory. PAYLOAD_TOO_LARGE as soon as the limit is passed; BAD_REQUEST if the caller hangs up, or a form has too many parts.
 * `isFramed`: the transport delivers at most Content-Length bytes. */
export async function withBufferedBody(
  request: Request,
  isFramed = false,
  largestBody: number = policy.largestBody,
): Promise<Request> {
  const { url, method, headers } = request
  const claimed = headers.get('content-length')
  if (isFramed && withBody.has(method) && claimed !== null && Number(claimed) <= smallBody) {
    return new Request(url, { method, headers, body: await request.arrayBuffer().catch(refuseIncomplete) })
  }
  // The server builds the whole Request when `body` is read, so skip that for methods without one.
  if (method === 'GET' || method === 'HEAD' || request.body === null) return request
  if (Number(claimed) > largestBody) throw tooLarge(largestBody)
  const body = await read(request.body, largestBody)
  assertFewParts(headers, body)
  return new Request(url, { method, headers, body })
}

/** Parsing 2 MiB of empty parts would hold up every other request for a second. Each part but the first follows CRLF and two dashes. */
function assertFewParts(headers: Headers, body: Uint8Array<ArrayBuffer>): void {
  if (!headers.get('content-type')?.toLowerCase().includes('multipart/')) return
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  let parts = 0
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + delimiter.length)) {
    parts += 1
    if (parts > policy.mostFormParts)
      throw new AppError('BAD_REQUEST', { message: `The form has more than ${policy.mostFormParts} parts` })
  }
}

/** Without this code, a caller that hangs up would look like a lost database connection. */
function refuseIncomplete(cause: unknown): never {
  throw new AppError('BAD_REQUEST', { message: 'The request body is incomplete', cause })
}

const tooLarge = (bytes: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', { message: `The request body is larger than ${bytes / 1024} KiB` })

async function read(body: ReadableStream<Uint8Array>, largestBody: number): Promise<Uint8Array<ArrayBuffer>> {
  // Copy chunks into one buffer: bytes sent one by one would keep one object each. Never reserve Content-Length, which may be a lie.
  let bytes = new Uint8Array(0)
  let size = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch(refuseIncomplete)
    if (done) return bytes.subarray(0, size)
    const end = size + value.length
    if (end > largestBody) throw tooLarge(largestBody)
    if (end > bytes.length) {
      const grown = new Uint8Array(Math.min(largestBody, Math.max(end, 2 * bytes.length)))
      grown.set(bytes)
      bytes = grown
    }
    bytes.set(value, size)
    size = end
  }
}
