import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ask, cookiesOf, outboxOf, type Person, signedInPerson, signIn } from '@floorpass/reliability'
import { startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { startTool } from '@floorpass/testing/tool-process'
import { generate } from 'otplib'
import { expect, test } from 'vitest'

async function run(command: 'backup' | 'restore', dataDir: string, file: string, more: Record<string, string> = {}) {
  const { code, stdout, stderr } = await startTool('backup', [command, file], { environment: { DATA_DIR: dataDir, ...more } })
    .ended
  return { code, output: stdout + stderr }
}

const userOf = async (url: string, cookie: string) =>
  ((await (await fetch(`${url}/auth/get-session`, { headers: { cookie } })).json()) as { user: { email: string } } | null)?.user
    .email

/** Turns on the second factor. Returns its secret and the cookie of the rotated session. */
async function enableTwoFactor(url: string, { password, cookie }: { password: string; cookie: string }) {
  const target = { url, origin: url }
  const { body } = await ask(target, 'POST', '/auth/two-factor/enable', { body: { password }, cookie })
  const secret = new URL(String(body?.totpURI)).searchParams.get('secret') ?? ''
  // Uses the previous code, because the sign-in after the restore needs the current one.
  const code = await generate({ secret, epoch: Math.floor(Date.now() / 1000) - 30 })
  const verified = await ask(target, 'POST', '/auth/two-factor/verify-totp', { body: { code }, cookie })
  expect(verified.status).toBe(200)
  return { secret, cookie: cookiesOf(verified) }
}

async function expectSecondFactor(url: string, person: Person, secret: string): Promise<void> {
  const target = { url, origin: url }
  const challenge = await signIn(target, person)
  expect(challenge.body).toMatchObject({ twoFactorRedirect: true })
  const code = await generate({ secret, epoch: Math.floor(Date.now() / 1000) })
  const verification = { body: { code }, cookie: cookiesOf(challenge) }
  expect((await ask(target, 'POST', '/auth/two-factor/verify-totp', verification)).status).toBe(200)
}

test('a backup of the running service restores accounts, sessions and second factors in another folder', async () => {
  const [first, second] = [await temporaryFolder(), join(await temporaryFolder(), 'new')]
  const file = join(await temporaryFolder(), 'floorpass.backup')
  const server = await startServer({ DATA_DIR: first, RATE_LIMIT: 'off' })
  const target = { url: server.url, origin: server.url }
  const person = await signedInPerson(target, outboxOf(first))
  const other = await signedInPerson(target, outboxOf(first))
  const { secret, cookie } = await enableTwoFactor(server.url, person)

  const taken = await run('backup', first, file)
  expect([taken.code, taken.output]).toEqual([0, expect.stringContaining('of the running service')])
  expect(taken.output).toContain('Protect it like a password')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await run('backup', first, file)).output).toContain('exists: choose another name')
  expect((await run('restore', first, file)).output).toContain('nothing was restored')
  // Only the owner may reach the socket, even while it is being created.
  expect((await stat(join(first, 'database'))).mode & 0o777).toBe(0o700)
  expect((await stat(join(first, 'database', 'backup.sock'))).mode & 0o777).toBe(0o600)
  expect(await readdir(join(first, 'database'))).not.toContain('backup')
  // Changes after the backup are not part of it.
  const later = await signedInPerson(target, outboxOf(first))
  expect((await server.end('SIGTERM')).code).toBe(0)
  expect((await run('restore', first, file)).output).toContain('nothing was restored')

  const restored = await run('restore', second, file)
  expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('Restored 2 accounts')])
  expect((await stat(join(second, 'auth-secret'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(second, 'auth-secret'), 'utf8')).toBe(await readFile(join(first, 'auth-secret'), 'utf8'))

  const successor = await startServer({ DATA_DIR: second, RATE_LIMIT: 'off' })
  expect(await userOf(successor.url, other.cookie)).toBe(other.email)
  expect(await userOf(successor.url, cookie)).toBe(person.email)
  expect((await signIn({ url: successor.url, origin: successor.url }, later)).status).toBe(401)
  await expectSecondFactor(successor.url, person, secret)
  await successor.end('SIGTERM')
})

test('a backup of a stopped service restores the same, and leaves AUTH_SECRET out', async () => {
  const folder = await temporaryFolder()
  const [dataDir, other, file] = [join(folder, 'data'), join(folder, 'other'), join(folder, 'stopped.backup')]
  const more = { AUTH_SECRET: 'kYq4x9Zs7wPn2vRt8bLm3cJd6fGh1aQe' }
  const server = await startServer({ DATA_DIR: dataDir, RATE_LIMIT: 'off', ...more })
  const person = await signedInPerson({ url: server.url, origin: server.url }, outboxOf(dataDir))
  const { secret, cookie } = await enableTwoFactor(server.url, person)
  await server.end('SIGTERM')
  const taken = await run('backup', dataDir, file, more)
  expect([taken.code, taken.output]).toEqual([0, expect.stringContaining('of the stopped service')])
  expect(taken.output).toContain('does not contain AUTH_SECRET')
  expect((await run('restore', other, file)).output).toContain('set the same one')
  expect((await run('restore', other, file, more)).code).toBe(0)
  await expect(stat(join(other, 'auth-secret'))).rejects.toMatchObject({ code: 'ENOENT' })

  const successor = await startServer({ DATA_DIR: other, RATE_LIMIT: 'off', ...more })
  expect(await userOf(successor.url, cookie)).toBe(person.email)
  await expectSecondFactor(successor.url, person, secret)
  await successor.end('SIGTERM')
})

test('a restore refuses a broken or missing backup and leaves nothing behind', async () => {
  const folder = await temporaryFolder()
  const [dataDir, file, cut] = [join(folder, 'data'), join(folder, 'whole.backup'), join(folder, 'cut.backup')]
  const server = await startServer({ DATA_DIR: dataDir })
  await server.end('SIGTERM')
  await run('backup', dataDir, file)
  await writeFile(cut, (await readFile(file)).subarray(0, 200_000))
  await writeFile(join(folder, 'text'), 'hello')
  for (const name of ['cut.backup', 'text', 'missing']) {
    const refused = await run('restore', join(folder, 'other'), join(folder, name))
    expect([name, refused.code]).toEqual([name, 1])
    expect(refused.output).toMatch(/is not a complete backup|cannot be read/)
  }
  await expect(stat(join(folder, 'other', 'database', 'pgdata'))).rejects.toMatchObject({ code: 'ENOENT' })
  // A restore must not overwrite another service's secret.
  await mkdir(join(folder, 'other'))
  await writeFile(join(folder, 'other', 'auth-secret'), 'x'.repeat(43))
  expect((await run('restore', join(folder, 'other'), file)).output).toContain("differs from the backup's secret")
})

test('on PostgreSQL the command names the tools to use', async () => {
  const { code, output } = await run('backup', await temporaryFolder(), 'x', { DATABASE_URL: 'postgres://127.0.0.1:1/none' })
  expect([code, output]).toEqual([2, expect.stringContaining('pg_dump')])
})
