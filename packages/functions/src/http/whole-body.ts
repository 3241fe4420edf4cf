import { AppError } from '@floorpass/api'

const largestBody = 64 * 1024

/**
 * The request with its body read into memory, counted while it came, whatever length it claimed. PAYLOAD_TOO_LARGE before the rest
 * is read; BAD_REQUEST when the caller hung up half-way, which must not pass for a lost database connection.
 */
export async function withWholeBody(request: Request): Promise<Request> {
  if (request.body === null) return request
  if (Number(request.headers.get('content-length')) > largestBody) throw new AppError('PAYLOAD_TOO_LARGE')
  const { url, method, headers, signal } = request
  return new Request(url, { method, headers, signal, body: await read(request.body) })
}

async function read(body: ReadableStream<Uint8Array>): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new AppError('BAD_REQUEST', { message: 'The request body did not arrive whole', cause })
    })
    if (done) return new Blob(chunks)
    size += value.length
    if (size > largestBody) throw new AppError('PAYLOAD_TOO_LARGE')
    chunks.push(new Uint8Array(value))
  }
}
