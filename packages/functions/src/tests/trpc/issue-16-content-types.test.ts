import { createTestApp } from '@floorpass/testing/create-test-app'
import { expect, test } from 'vitest'

const app = await createTestApp()

const toBytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))
const sendBody = async (path: string, body: Uint8Array<ArrayBuffer>, headers: Record<string, string>) => {
  const { status, body: answer } = await app.browser().request('POST', path, { body, headers })
  const [first] = [answer].flat() as { error?: { data: { key: string } } }[]
  return [status, first?.error?.data.key]
}
const requestKinds: [surface: string, path: string][] = [
  ['a call', '/trpc/signIn.email'],
  ['a batch', '/trpc/signIn.email,signIn.signOut?batch=1'],
]

test.each(
  requestKinds.flatMap(([kind, path]) =>
    [
      'application/json; charset=utf-16',
      'application/json; charset =utf-16',
      'application/json;charset=utf-8;charset=iso-8859-1',
      'application/json\u00a0',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'text/plain',
    ].map((type) => [kind, type, path] as const),
  ),
)('T175: tRPC refuses %s of the unsupported type %j, as REST does', async (_, type, path) => {
  expect(await sendBody(path, toBytes('{}'), { 'content-type': type })).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
})

test.each(requestKinds)('tRPC refuses %s with a compressed body, as REST does', async (_, path) => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  expect(await sendBody(path, toBytes('{}'), headers)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
})

test.each([
  ['bytes that are not UTF-8', '{"name":"\xff\xfe","email":"ada@example.test","password":"plum kettle orbit"}'],
  ['a byte order mark', '\xef\xbb\xbf{"name":"Ada","email":"ada@example.test","password":"plum kettle orbit"}'],
])('tRPC refuses %s and does not alter the text', async (_, text) => {
  const headers = { 'content-type': 'application/json' }
  expect(await sendBody('/trpc/signIn.signUp', toBytes(text), headers)).toEqual([400, 'BAD_REQUEST'])
  expect(await app.db.user.count({ where: { email: 'ada@example.test' } })).toBe(0)
})

test('tRPC accepts JSON in UTF-8, with or without a charset, and a call without a body', async () => {
  for (const type of ['application/json', 'Application/JSON ; charset="UTF-8"'])
    expect(await sendBody('/trpc/signIn.signOut', toBytes(''), { 'content-type': type })).toEqual([200, undefined])
})
