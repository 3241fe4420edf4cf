// npm run fuzz -- [--seed 1] [--requests 50000]: starts a server on a new PostgreSQL database when TEST_DATABASE_URL is set,
// otherwise on the embedded database. Exits with 1 when it finds a violation.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openDatabase } from '@floorpass/db'
import { variables } from '@floorpass/env'
import { freePort } from '@floorpass/reliability'
import { fuzz, fuzzEnvironment } from './fuzz.ts'
import { openRunFolder } from './run-folder.ts'
import { asAdmin, urlOf } from './test-templates.ts'

const { values } = parseArgs({ options: { seed: { type: 'string' }, requests: { type: 'string' }, port: { type: 'string' } } })
// The same all day, so that a finding can be replayed.
const seed = Number(values.seed ?? Math.floor(Date.now() / 86_400_000))
const requests = Number(values.requests ?? 50_000)
/** Allowed growth of memory after a full collection between the warm-up and the last request. */
const mostGrowth = 1.2
const adminUrl = process.env.TEST_DATABASE_URL
const database = `floorpass_fuzz_${randomBytes(4).toString('hex')}`
// A killed run leaves its data, which the next run removes.
openRunFolder()
const dataDir = await mkdtemp(join(tmpdir(), 'floorpass-fuzz-'))
const port = values.port ?? String(await freePort())

if (adminUrl) await asAdmin(adminUrl, (admin) => admin.query(`CREATE DATABASE "${database}"`))
const url = adminUrl ? urlOf(adminUrl, database) : ''
const probe = new URL('./memory-probe.ts', import.meta.url).href
const server = spawn('deploy/start.sh', ['--expose-gc', '--import', probe], {
  cwd: fileURLToPath(new URL('../../../', import.meta.url)),
  env: {
    // An empty variable counts as unset and overrides a developer's `.env`.
    ...Object.fromEntries(variables.map((variable) => [variable, ''])),
    PATH: process.env.PATH,
    PORT: port,
    DATA_DIR: dataDir,
    DATABASE_URL: url,
    ...fuzzEnvironment,
    GITHUB_CLIENT_ID: 'github',
    GITHUB_CLIENT_SECRET: 'a secret',
  },
  stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
})
let output = ''
for (const stream of [server.stdout, server.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk))
const exited = once(server, 'close')
const failures: string[] = []
try {
  while (!output.includes('Ctrl-C')) {
    const ended = await Promise.race([exited, once(server.stdout ?? server, 'data').then(() => null)])
    if (ended) throw new Error(`the server did not start:\n${output}`)
  }
  const opened = adminUrl ? await openDatabase({ kind: 'postgres', url, poolSize: 1 }) : null
  console.log(`seed ${seed}, ${requests} requests, ${adminUrl ? 'PostgreSQL' : 'the embedded database'}`)
  const settledMemory = async () => {
    server.send('settle')
    const [usage] = (await once(server, 'message', { signal: AbortSignal.timeout(30_000) })) as [NodeJS.MemoryUsage]
    return usage
  }
  const target = { url: `http://127.0.0.1:${port}`, pid: server.pid ?? 0, dataDir, db: opened?.db ?? null, settledMemory }
  const { statuses, memory, settled, seconds, violations } = await fuzz(target, {
    seed,
    requests,
    onProgress: (line) => console.log(line),
  })
  await opened?.close()
  failures.push(...violations)
  for (const kind of ['live', 'resident'] as const) {
    const [warm, end] = [settled?.warm[kind] ?? 0, settled?.end[kind] ?? Number.POSITIVE_INFINITY]
    if (end > warm * mostGrowth) failures.push(`${kind} memory grew from ${warm.toFixed(0)} to ${end.toFixed(0)} MB`)
  }
  if (server.exitCode !== null) failures.push('the server crashed')
  console.log(JSON.stringify({ seed, requests, seconds: Math.round(seconds), statuses, memory, settled }, null, 2))
} finally {
  server.kill('SIGTERM')
  const [code] = await exited
  if (code !== 0) failures.push(`the server ended with ${code}`)
  const complaints = output.split('\n').filter((line) => /"level":[56]0|Unhandled|RangeError|FATAL/.test(line))
  if (complaints.length > 0)
    failures.push(`the server complained ${complaints.length} times:\n${complaints.slice(0, 5).join('\n')}`)
  if (adminUrl) await asAdmin(adminUrl, (admin) => admin.query(`DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`))
  await rm(dataDir, { recursive: true, force: true })
}
for (const failure of failures.slice(0, 20)) console.error(`\n${failure}`)
console.log(
  failures.length === 0
    ? 'Nothing was wrong.'
    : `${failures.length} things were wrong. Replay: npm run fuzz -- --seed ${seed} --requests ${requests}`,
)
if (failures.length > 0) {
  await mkdir('reports', { recursive: true })
  await writeFile('reports/fuzz.json', JSON.stringify({ seed, requests, failures }, null, 2))
  if (process.env.GITHUB_ACTIONS)
    console.log(`::error::${failures.length} findings. Replay: npm run fuzz -- --seed ${seed} --requests ${requests}`)
}
process.exitCode = failures.length === 0 ? 0 : 1
