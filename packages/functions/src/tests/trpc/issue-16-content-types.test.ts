import { createTestApp } from '@floorpass/testing/create-test-app'
import { expect, test } from 'vitest'

const app = await createTestApp()

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))
const send = async (path: string, body: Uint8Array<ArrayBuffer>, headers: Record<string, string>) => {
  const { status, body: answer } = await app.browser().request('POST', path, { body, headers })
  const [first] = [answer].flat() as { error?: { data: { key: string } } }[]
  return [status, first?.error?.data.key]
}
const ways: [surface: string, path: string][] = [
  ['a call', '/trpc/signIn.email'],
  ['a batch', '/trpc/signIn.email,signIn.signOut?batch=1'],
]

test.each(
  ways.flatMap(([way, path]) =>
    [
      'application/json; charset=utf-16',
      'application/json; charset =utf-16',
      'application/json;charset=utf-8;charset=iso-8859-1',
      'application/json\u00a0',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'text/plain',
    ].map((type) => [way, type, path] as const),
  ),
)('T175: tRPC refuses %s of type %j as an unsupported type, as REST does', async (_, type, path) => {
  expect(await send(path, bytes('{}'), { 'content-type': type })).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
})

test.each(ways)('tRPC refuses %s with a compressed body, as REST does', async (_, path) => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  expect(await send(path, bytes('{}'), headers)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
})

test.each([
  ['bytes that are not UTF-8', '{"name":"\xff\xfe","email":"ada@example.test","password":"plum kettle orbit"}'],
  ['a byte order mark', '\xef\xbb\xbf{"name":"Ada","email":"ada@example.test","password":"plum kettle orbit"}'],
])('tRPC refuses %s instead of changing what was sent', async (_, text) => {
  const headers = { 'content-type': 'application/json' }
  expect(await send('/trpc/signIn.signUp', bytes(text), headers)).toEqual([400, 'BAD_REQUEST'])
  expect(await app.db.user.count({ where: { email: 'ada@example.test' } })).toBe(0)
})

test('tRPC takes JSON in UTF-8, named or not, and a call without a body', async () => {
  for (const type of ['application/json', 'Application/JSON ; charset="UTF-8"'])
    expect(await send('/trpc/signIn.signOut', bytes(''), { 'content-type': type })).toEqual([200, undefined])
})
