import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@floorpass/testing/server-process'
import { expect, onTestFinished, test } from 'vitest'

const script = fileURLToPath(new URL('../../../../../scripts/commit-badges.mjs', import.meta.url))
/** Git settings of the test only. */
const environment = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
const ada = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Ada'],
    [`GIT_${who}_EMAIL`, 'ada@example.test'],
  ]),
)

async function run(cwd: string, [command = '', ...args]: string[], more: Record<string, string> = {}) {
  const child = spawn(command, args, { cwd, env: { ...environment, ...more }, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = (await once(child, 'close')) as [number | null]
  const [stdout, stderr] = await output
  return { code, stdout: stdout.trim(), stderr }
}

/** A clone with one specification and its bare origin. */
async function createClone() {
  const folder = await temporaryFolder()
  const [origin, root] = [join(folder, 'origin.git'), join(folder, 'clone')]
  const git = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(root, ['git', ...args], ada)
    if (code !== 0) throw new Error(stderr)
    return stdout
  }
  const write = (path: string, content: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  await run(folder, ['git', 'init', '--quiet', '--bare', '--initial-branch=main', origin])
  await run(folder, ['git', 'clone', '--quiet', origin, root])
  write('docs/specs/cors.md', '# CORS\n')
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'feat: cors')
  await git('push', '--quiet', 'origin', 'HEAD:refs/heads/main')
  return {
    folder,
    git,
    write,
    origin: async (...args: string[]) => (await run(origin, ['git', ...args])).stdout,
    commit: (branch: string, more?: Record<string, string>) => run(root, [process.execPath, script, branch], more),
  }
}

const subject = 'docs(badges): the state of the tests'

test('on main, the commit of badges and reports starts no pipeline', async () => {
  const { write, commit, origin } = await createClone()
  write('docs/specs/cors.md', '# CORS\n\nbadges\n')
  write('docs/reports/vitest/specs/smoke-tests.json', '{}')
  write('elsewhere.txt', 'not ours')
  expect((await commit('main')).code).toBe(0)
  expect(await origin('log', '-1', '--format=%s', 'main')).toBe(`${subject} [skip ci]`)
  expect((await origin('show', '--name-only', '--format=', 'main')).split('\n')).toEqual([
    'docs/reports/vitest/specs/smoke-tests.json',
    'docs/specs/cors.md',
  ])
})

test('on another branch, the commit has no [skip ci] that a squash would bring to main, and needs no report', async () => {
  const { git, write, commit, origin } = await createClone()
  await git('push', '--quiet', 'origin', 'HEAD:refs/heads/feature')
  write('docs/specs/cors.md', '# CORS\n\nbadges\n')
  const { code, stderr } = await commit('feature')
  expect([code, stderr]).toEqual([0, ''])
  expect(await origin('log', '-1', '--format=%s', 'feature')).toBe(subject)
  expect(await origin('log', '-1', '--format=%s', 'main')).toBe('feat: cors')
})

test('makes no commit without a change', async () => {
  const { commit, origin } = await createClone()
  const { code, stdout } = await commit('main')
  expect([code, stdout]).toEqual([0, 'No badge and no report changed.'])
  expect(await origin('rev-list', '--count', 'main')).toBe('1')
})

test('keeps commits that were pushed meanwhile', async () => {
  const { git, write, commit, origin } = await createClone()
  write('theirs.txt', 'theirs')
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'feat: theirs')
  await git('push', '--quiet', 'origin', 'HEAD:refs/heads/main')
  await git('reset', '--quiet', '--hard', 'HEAD~1')
  write('docs/specs/cors.md', '# CORS\n\nbadges\n')
  expect((await commit('main')).code).toBe(0)
  expect((await origin('log', '--format=%s', 'main')).split('\n')).toEqual([`${subject} [skip ci]`, 'feat: theirs', 'feat: cors'])
})

test.each(['--mirror', 'v1.0.0'])('pushes to a branch called %s, even beside a tag of that name', async (branch) => {
  const { git, write, commit, origin } = await createClone()
  await git('push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`, `HEAD:refs/tags/${branch}`)
  const tagged = await origin('rev-parse', `refs/tags/${branch}`)
  write('docs/specs/cors.md', '# CORS\n\nbadges\n')
  const { code, stderr } = await commit(branch)
  expect([code, stderr]).toEqual([0, ''])
  expect(await origin('log', '-1', '--format=%s', `refs/heads/${branch}`)).toBe(subject)
  expect(await origin('rev-parse', `refs/tags/${branch}`)).toBe(tagged)
})

test('sends GITHUB_TOKEN only to the host of origin, and stores it nowhere', async () => {
  const { git, write, commit } = await createClone()
  const seen = new Set<string | undefined>()
  const server = createServer(({ headers }, response) => {
    seen.add(headers.authorization)
    response.writeHead(403).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  await git('remote', 'set-url', 'origin', `http://127.0.0.1:${(server.address() as AddressInfo).port}/floorpass.git`)
  write('docs/specs/cors.md', '# CORS\n\nbadges\n')
  const { code, stdout, stderr } = await commit('main', { GITHUB_TOKEN: 'a-token' })
  const credentials = Buffer.from('x-access-token:a-token').toString('base64')
  expect([code, [...seen]]).toEqual([1, [`basic ${credentials}`]])
  expect(stdout + stderr + (await git('config', '--list'))).not.toMatch(new RegExp(`a-token|${credentials}`))
})
