import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { AppError } from '@floorpass/api'
import { describe, expect, test } from 'vitest'
import { withBufferedBody } from '../../http/buffer-body.ts'

setFlagsFromString('--expose_gc')
const collectGarbage: () => void = runInNewContext('gc')
const limit = 64 * 1024

const getMegabytesInUse = () => {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1024 ** 2
}

/** The platform's types lack `duplex`, which a stream body requires. */
const createRequest = (body: ReadableStream<Uint8Array>, headers: Record<string, string> = {}, method = 'POST') => {
  const init = { method, headers, body, duplex: 'half' }
  return new Request('http://localhost/auth/sign-in/email', init)
}

/** Creates a request with a body in chunks, and calls `beforeEnd` before the last one. */
const createChunkedRequest = (
  chunks: number,
  size: number,
  beforeEnd = () => {},
  ...rest: [Record<string, string>?, string?]
) => {
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
  return createRequest(body, ...rest)
}
const getExpectedText = (chunks: number, size: number) =>
  Array.from({ length: chunks }, (_, index) => String.fromCharCode(97 + (index % 26)).repeat(size)).join('')

test.each([
  [1, 0],
  [1, 1],
  [3, 1000],
  [7, 8191],
  [1, limit],
  [limit, 1],
])('a body of %i chunks of %i bytes arrives unchanged', async (chunks, size) => {
  const request = await withBufferedBody(createChunkedRequest(chunks, size))
  expect(await request.text()).toBe(getExpectedText(chunks, size))
})

test('a body in chunks of one byte takes no more memory than its bytes', async () => {
  await withBufferedBody(createChunkedRequest(limit, 1))
  const before = getMegabytesInUse()
  let during = 0
  await withBufferedBody(createChunkedRequest(limit, 1, () => (during = getMegabytesInUse())))
  expect(during - before).toBeLessThan(2)
})

test('a body one byte above the limit is refused, whatever its chunks', async () => {
  for (const [chunks, size] of [
    [limit + 1, 1],
    [1, limit + 1],
    [2, limit / 2 + 1],
  ] as const)
    await expect(withBufferedBody(createChunkedRequest(chunks, size))).rejects.toEqual(new AppError('PAYLOAD_TOO_LARGE'))
})

test.each([
  ['POST', '0', 0],
  ['POST', '26', 26],
  ['PUT', '4096', 4096],
  ['QUERY', '26', 26],
  ['POST', String(limit), limit],
])('a %s body with a content-length of %s arrives unchanged', async (method, claimed, length) => {
  for (const isFramed of [true, false]) {
    const sent = createChunkedRequest(length, 1, undefined, { 'content-length': claimed, 'x-kept': 'yes' }, method)
    const request = await withBufferedBody(sent, isFramed)
    expect([request.method, request.headers.get('x-kept')]).toEqual([method, 'yes'])
    expect(await request.text()).toBe(getExpectedText(length, 1))
  }
})

test('a body above the limit is refused even when its content-length is small', async () => {
  const request = createChunkedRequest(1, limit + 1, undefined, { 'content-length': '10' })
  await expect(withBufferedBody(request)).rejects.toEqual(new AppError('PAYLOAD_TOO_LARGE'))
})

test.each([false, true])('a body that ends early is a bad request, framed or not: %s', async (isFramed) => {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new Uint8Array(10))
      controller.error(new Error('gone'))
    },
  })
  const request = createRequest(body, { 'content-length': '20' })
  await expect(withBufferedBody(request, isFramed)).rejects.toMatchObject({ key: 'BAD_REQUEST' })
})

describe('a form with a file', () => {
  const multipart = { 'content-type': 'Multipart/Form-Data; boundary=x' }
  const part = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'
  const form = (parts: number, headers: Record<string, string> = multipart) =>
    withBufferedBody(new Request('http://localhost/', { method: 'POST', headers, body: `${part.repeat(parts)}--x--\r\n` }))

  test('has 100 parts at most', async () => {
    expect([...(await (await form(100)).formData())]).toHaveLength(100)
    await expect(form(101)).rejects.toEqual(new AppError('BAD_REQUEST', { message: 'The form has more than 100 parts' }))
  })

  test('is counted by its parts alone: text may have as many dashes as it likes', async () => {
    expect((await form(200, { 'content-type': 'text/plain' })).method).toBe('POST')
  })
})
