import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { killServices } from '@floorpass/reliability'
import { alterTransaction } from './attacks/alter.ts'
import { changeAddresses, removePasskeyFirst } from './attacks/change-addresses.ts'
import { addPasskey, changeCredentials } from './attacks/change-credentials.ts'
import { forgeReceipt } from './attacks/forge-receipt.ts'
import { joinOrganization } from './attacks/join-organization.ts'
import { lockOwnerOut } from './attacks/lock-owner-out.ts'
import { loosenLock } from './attacks/loosen-lock.ts'
import { phish } from './attacks/phish.ts'
import { pressPanicLink } from './attacks/press-panic-link.ts'
import { replayCookie } from './attacks/replay-cookie.ts'
import { keepUsingKey, takeOverBot } from './attacks/take-over-bot.ts'
import { useStaleToken } from './attacks/use-stale-token.ts'
import { formatTable } from './format-table.ts'
import { type Result, runAttack } from './row.ts'
import { type Owner, openScene } from './scene.ts'

const usage = `Usage: npm run claim [-- --json]
Attacks a running service with a stolen password, TOTP secret, session cookie and API key. Fails when an attack is not refused.
  --json        prints the results as JSON
  DATABASE_URL  runs on this empty PostgreSQL database instead of an embedded one
  PORT          uses this port and the next one instead of free ones`

const { values: given } = parseArgs({ options: { json: { type: 'boolean' }, help: { type: 'boolean' } } })
if (given.help) {
  console.log(usage)
  process.exit(0)
}

const ownerCount = 15
type FirstOwners = [Owner, Owner, Owner, Owner, Owner, Owner, Owner, Owner, Owner, Owner, ...Owner[]]
const { DATABASE_URL: databaseUrl, PORT: port } = process.env
const folder = await mkdtemp(join(tmpdir(), 'floorpass-claim-'))
const cleanUp = async () => {
  killServices()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void cleanUp().finally(() => process.exit(130)))

const started = performance.now()
const results: Result[] = []
try {
  const scene = await openScene({
    folder,
    owners: ownerCount,
    databaseUrl: databaseUrl || undefined,
    ...(port && { port: Number(port) }),
  })
  const [calm, movable, replaced, panicked, locked, waiting, stopped, bare, founder, accomplice, ...phished] =
    scene.owners as FirstOwners
  const attacks = [
    phish(scene, phished),
    alterTransaction(scene, calm),
    replayCookie(scene, calm),
    changeAddresses(scene, movable),
    takeOverBot(scene, calm),
    keepUsingKey(scene, calm),
    lockOwnerOut(scene, replaced),
    pressPanicLink(scene, panicked),
    useStaleToken(scene, calm),
    changeCredentials(scene, phished),
    addPasskey(scene, [waiting, stopped]),
    removePasskeyFirst(scene, bare),
    loosenLock(scene, locked),
    joinOrganization(scene, founder, accomplice),
    forgeReceipt(scene, calm, databaseUrl || undefined),
  ]
  for (const attack of attacks) results.push(await runAttack(attack))
  await scene.close()
} finally {
  await cleanUp()
}

const held = results.filter(({ holes }) => holes.length === 0).length
const seconds = Math.round((performance.now() - started) / 1000)
console.log(given.json ? JSON.stringify({ held, attacks: results.length, seconds, results }, null, 2) : formatTable(results))
if (!given.json) console.log(`\n${held} of ${results.length} attacks refused, in ${seconds} s`)
// The pipeline counts these fields, as in a test report.
const testResults = results.map(({ attack, holes }) => ({
  name: 'claim',
  status: holes.length === 0 ? 'passed' : 'failed',
  assertionResults: [{ fullName: attack, status: holes.length === 0 ? 'passed' : 'failed', failureMessages: holes }],
}))
await mkdir('reports', { recursive: true })
const report = { numPassedTests: held, numFailedTests: results.length - held, testResults, results }
await writeFile('reports/claim.json', JSON.stringify(report))
process.exit(held === results.length ? 0 : 1)
