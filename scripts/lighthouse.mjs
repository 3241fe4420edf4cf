// What Lighthouse says of the built app, as on a phone on slow 4G: `npm run lighthouse`. Lighthouse itself comes through npx: it is larger
// than the workspace and only this needs it.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { foundAccounts, seedScene } from '../features/support/scene.ts'
import { fail, run, say } from './run.mjs'
import { chromiumPath, prepareService, withService } from './scene-service.mjs'

const lighthouse = 'lighthouse@12.8.2'
const targets = { performance: 95, accessibility: 100, 'best-practices': 100 }
const asked = [
  { path: '/login', as: 'visitor' },
  { path: '/signup', as: 'visitor' },
  { path: '/dashboard', as: 'member' },
  { path: '/settings/security', as: 'member' },
]
const metrics = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'total-blocking-time',
  'cumulative-layout-shift',
  'speed-index',
]

/** For `fail`, when what was started has ended. */
const failure = (what, ...told) => Object.assign(new Error(what), { told })

async function judge(url, path, cookies, folder) {
  const report = join(folder, 'report.json')
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const { code, output } = await run(
    'npx',
    [
      ...['--yes', lighthouse, url + path, '--quiet', '--output=json', `--output-path=${report}`],
      `--only-categories=${Object.keys(targets).join(',')}`,
      '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
      ...(cookie === '' ? [] : [`--extra-headers=${JSON.stringify({ cookie })}`]),
    ],
    { cwd: folder, env: { ...process.env, ...(chromiumPath && { CHROME_PATH: chromiumPath }) } },
  )
  if (code !== 0)
    throw failure(
      'Lighthouse did not run.',
      output.trim().split('\n').at(-1) ?? '',
      'Check that npx reaches its registry, and CHROMIUM_PATH.',
    )
  const { categories, audits, finalDisplayedUrl } = JSON.parse(await readFile(report, 'utf8'))
  if (finalDisplayedUrl !== url + path)
    throw failure('Lighthouse judged another page.', `It was led to ${finalDisplayedUrl}.`, 'Check the scene.')
  const scores = Object.entries(categories).map(([name, { score }]) => [name, Math.round(score * 100)])
  // What costs points beyond the metrics themselves.
  const lost = Object.values(categories).flatMap(({ auditRefs }) =>
    auditRefs.filter(({ id, weight }) => weight > 0 && !metrics.includes(id) && (audits[id].score ?? 1) < 1).map(({ id }) => id),
  )
  return { scores, lost, times: metrics.map((id) => audits[id].displayValue) }
}

const service = await prepareService()
const folder = await mkdtemp(join(tmpdir(), 'floorpass-lighthouse-'))
let failed
try {
  const missed = await withService(Date.now(), service.environment, async () => {
    const address = (handle) => `${handle}@meridian.example`
    await foundAccounts(service.url, address)
    const scene = await seedScene(service.url, address, { slug: 'meridian-rates' })
    const found = []
    say(`| page | ${Object.keys(targets).join(' | ')} | FCP | LCP | TBT | CLS | Speed Index |`)
    const only = process.argv.slice(2)
    for (const { path, as } of asked.filter(({ path }) => only.length === 0 || only.includes(path))) {
      const { scores, lost, times } = await judge(service.url, path, scene.cookies[as], folder)
      say(`| ${[path, ...scores.map(([, score]) => score), ...times].join(' | ')} |`)
      for (const id of lost) say(`  ${path} loses points by: ${id}`)
      found.push(...scores.filter(([name, score]) => score < targets[name]).map(([name, score]) => `${path}: ${name} ${score}`))
    }
    return found
  })
  if (missed.length > 0)
    throw failure('A page is below its target.', missed.join(', '), 'See the audits above; times need a machine at rest.')
} catch (error) {
  if (!error.told) throw error
  failed = error
} finally {
  await rm(folder, { recursive: true, force: true })
  await service.end()
}
if (failed) fail(failed.message, ...failed.told)
