import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { AppError } from '@floorpass/api'
import { expect, test } from 'vitest'
import { withBufferedBody } from '../../http/buffer-body.ts'

setFlagsFromString('--expose_gc')
const collectGarbage: () => void = runInNewContext('gc')
const limit = 64 * 1024

const megabytesInUse = () => {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1024 ** 2
}

/** The types of the platform do not know `duplex`, which it demands of a stream. */
const posted = (body: ReadableStream<Uint8Array>, headers: Record<string, string> = {}, method = 'POST') => {
  const init = { method, headers, body, duplex: 'half' }
  return new Request('http://localhost/auth/sign-in/email', init)
}

/** A request whose body comes in these chunks, and what is called before the last one. */
const chunked = (chunks: number, size: number, beforeEnd = () => {}, ...rest: [Record<string, string>?, string?]) => {
  let sent = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (sent === chunks) return controller.close()
        if (sent === chunks - 1) beforeEnd()
        controller.enqueue(new Uint8Array(size).fill(97 + (sent % 26)))
        sent += 1
      },
    },
    { highWaterMark: 0 },
  )
  return posted(body, ...rest)
}
const alphabet = (chunks: number, size: number) =>
  Array.from({ length: chunks }, (_, index) => String.fromCharCode(97 + (index % 26)).repeat(size)).join('')

test.each([
  [1, 0],
  [1, 1],
  [3, 1000],
  [7, 8191],
  [1, limit],
  [limit, 1],
])('%i chunks of %i bytes arrive as they were sent', async (chunks, size) => {
  const request = await withBufferedBody(chunked(chunks, size))
  expect(await request.text()).toBe(alphabet(chunks, size))
})

test('a body in chunks of one byte takes the memory of its bytes, not of as many objects', async () => {
  await withBufferedBody(chunked(limit, 1))
  const before = megabytesInUse()
  let during = 0
  await withBufferedBody(chunked(limit, 1, () => (during = megabytesInUse())))
  expect(during - before).toBeLessThan(2)
})

test('a byte too many is refused, in whatever chunks it comes', async () => {
  for (const [chunks, size] of [
    [limit + 1, 1],
    [1, limit + 1],
    [2, limit / 2 + 1],
  ] as const)
    await expect(withBufferedBody(chunked(chunks, size))).rejects.toEqual(new AppError('PAYLOAD_TOO_LARGE'))
})

test.each([
  ['POST', '0', 0],
  ['POST', '26', 26],
  ['PUT', '4096', 4096],
  ['QUERY', '26', 26],
])('%s with a length of %s arrives as it was sent', async (method, claimed, length) => {
  for (const isFramed of [true, false]) {
    const sent = chunked(length, 1, undefined, { 'content-length': claimed, 'x-kept': 'yes' }, method)
    const request = await withBufferedBody(sent, isFramed)
    expect([request.method, request.headers.get('x-kept')]).toEqual([method, 'yes'])
    expect(await request.text()).toBe(alphabet(length, 1))
  }
})

test('a length that is a lie hides no byte too many', async () => {
  const request = chunked(1, limit + 1, undefined, { 'content-length': '10' })
  await expect(withBufferedBody(request)).rejects.toEqual(new AppError('PAYLOAD_TOO_LARGE'))
})

test.each([false, true])('a caller who hangs up half-way is a bad request, framed or not: %s', async (isFramed) => {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new Uint8Array(10))
      controller.error(new Error('gone'))
    },
  })
  const request = posted(body, { 'content-length': '20' })
  await expect(withBufferedBody(request, isFramed)).rejects.toMatchObject({ key: 'BAD_REQUEST' })
})
