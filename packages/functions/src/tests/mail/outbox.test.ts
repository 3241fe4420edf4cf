import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOutbox, type Mail, type Outbox } from '@floorpass/email'
import { afterEach, beforeEach, expect, it } from 'vitest'

const mail = (subject: string): Mail => ({ to: 'ada@example.test', subject, text: 'words', html: '<p>words</p>' })
let root: string
let directory: string
let outbox: Outbox

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'floorpass-outbox-'))
  directory = join(root, 'data', 'outbox')
  outbox = createOutbox({ directory, from: 'no-reply@localhost' })
})
afterEach(() => rm(root, { recursive: true }))

it('is empty before the first mail', async () => {
  expect(await outbox.list()).toEqual([])
})

it('lists the newest first and returns each mail', async () => {
  for (const subject of ['first', 'second', 'third']) await outbox.send(mail(subject))
  const entries = await outbox.list()
  expect(entries.map((entry) => entry.subject)).toEqual(['third', 'second', 'first'])
  expect(await outbox.read(entries[0]?.id ?? '')).toEqual({ ...mail('third'), ...entries[0], from: 'no-reply@localhost' })
})

it('stores each mail in one file that only its owner can read, and no other file', async () => {
  await Promise.all(Array.from({ length: 40 }, (_, index) => outbox.send(mail(`mail ${index}`))))
  const files = await readdir(directory)
  expect(files).toHaveLength(40)
  expect(files.every((file) => file.endsWith('.json'))).toBe(true)
  expect((await stat(join(directory, files[0] ?? ''))).mode & 0o777).toBe(0o600)
  expect((await stat(directory)).mode & 0o777).toBe(0o700)
})

it('hides a mail that is only partly written', async () => {
  await outbox.send(mail('whole'))
  await writeFile(join(directory, '.1700000000000-000001-00000000.tmp'), '{"to": "ada@exa')
  expect((await outbox.list()).map((entry) => entry.subject)).toEqual(['whole'])
})

it('lists at most 200', async () => {
  for (let index = 0; index < 205; index += 1) await outbox.send(mail(`mail ${index}`))
  const entries = await outbox.list()
  expect(entries).toHaveLength(200)
  expect(entries[0]?.subject).toBe('mail 204')
})

it('returns null for an id that is unknown or leads elsewhere', async () => {
  await outbox.send(mail('here'))
  await writeFile(join(root, 'data', 'secret.json'), '{"subject":"secret"}')
  for (const id of [
    '../secret',
    '..%2fsecret',
    '/etc/passwd',
    '',
    '1700000000000-000001-0000000a',
    '1700000000000-000001-0000000a\0',
    '1700000000000-000001-0000000a\n',
  ]) {
    expect(await outbox.read(id)).toBeNull()
  }
})

it.each([
  'ada@example.test\r\nBcc: eve@example.test',
  'ada@example.test, eve@example.test',
  '"eve@evil.test x"@example.test',
  'Ada <ada@example.test>',
  'ada',
])('refuses the recipient %j', async (to) => {
  await expect(outbox.send({ ...mail('x'), to })).rejects.toMatchObject({ code: 'MAIL_ADDRESS_REFUSED' })
  expect(await outbox.list()).toEqual([])
})

it('verifies that it is writable', async () => {
  await outbox.verify()
  await writeFile(join(root, 'file'), '')
  await expect(createOutbox({ directory: join(root, 'file', 'outbox'), from: 'a@b' }).verify()).rejects.toMatchObject({
    code: 'ENOTDIR',
  })
})
