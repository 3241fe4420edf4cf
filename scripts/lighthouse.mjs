// Measures the built app with Lighthouse, as on a phone on slow 4G: `npm run lighthouse`.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedAdministrator } from '../features/support/administration-pages.ts'
import { pages, pathOf } from '../features/support/pages.ts'
import { createAccounts, seedScene, signInEarlier } from '../features/support/scene.ts'
import { fail, run, say } from './run.mjs'
import { address, chromiumPath, prepareService, withService } from './scene-service.mjs'

const lighthouse = 'lighthouse@12.8.2'
const targets = { performance: 95, accessibility: 100, 'best-practices': 100 }
// Lighthouse presses no button.
const audited = pages.filter(({ photo, reach, status }) => photo !== false && !reach && status !== 404)
const metrics = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'total-blocking-time',
  'cumulative-layout-shift',
  'speed-index',
]

const failure = (what, ...explanation) => Object.assign(new Error(what), { explanation })

async function audit(url, path, cookies, folder) {
  const report = join(folder, 'report.json')
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const measure = () =>
    run(
      'npx',
      [
        ...['--yes', lighthouse, url + path, '--quiet', '--output=json', `--output-path=${report}`],
        `--only-categories=${Object.keys(targets).join(',')}`,
        '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
        ...(cookie === '' ? [] : [`--extra-headers=${JSON.stringify({ cookie })}`]),
      ],
      { cwd: folder, env: { ...process.env, ...(chromiumPath && { CHROME_PATH: chromiumPath }) } },
    )
  let { code, output } = await measure()
  // Lighthouse sometimes misses the start of a page (NO_NAVSTART).
  if (code !== 0) ({ code, output } = await measure())
  if (code !== 0)
    throw failure(
      'Lighthouse did not run.',
      output.trim().split('\n').at(-1) ?? '',
      'Check CHROMIUM_PATH, and that npx reaches its registry.',
    )
  const { categories, audits, finalDisplayedUrl } = JSON.parse(await readFile(report, 'utf8'))
  // Pages of emailed links take the token out of the address.
  if (new URL(finalDisplayedUrl).pathname !== new URL(url + path).pathname)
    throw failure('Lighthouse audited another page.', `It was redirected to ${finalDisplayedUrl}.`, 'Check the scene.')
  const scores = Object.entries(categories).map(([name, { score }]) => [name, Math.round(score * 100)])
  const failedAudits = Object.values(categories).flatMap(({ auditRefs }) =>
    auditRefs.filter(({ id, weight }) => weight > 0 && !metrics.includes(id) && (audits[id].score ?? 1) < 1).map(({ id }) => id),
  )
  return { scores, failedAudits, times: metrics.map((id) => audits[id].displayValue) }
}

const service = await prepareService()
const folder = await mkdtemp(join(tmpdir(), 'floorpass-lighthouse-'))
let failed
try {
  // Some pages ask for the password of a person who signed in an hour ago.
  const returning = await withService(Date.now() - 5_400_000, service.environment, async (lag) => {
    await createAccounts(service.url, address)
    return signInEarlier(service.url, address('ines'), lag)
  })
  const missed = await withService(Date.now(), service.environment, async () => {
    const scene = await seedScene(service.url, address, { slug: 'meridian-rates', returning })
    const missedTargets = []
    say(`| page | ${Object.keys(targets).join(' | ')} | FCP | LCP | TBT | CLS | Speed Index |`)
    const only = process.argv.slice(2)
    const isMeasured = ({ name }) => only.length === 0 || only.includes(name)
    const measure = async (name, path, cookies) => {
      const { scores, failedAudits, times } = await audit(service.url, path, cookies, folder)
      say(`| ${[name, ...scores.map(([, score]) => score), ...times].join(' | ')} |`)
      for (const id of failedAudits) say(`  ${name} fails the audit ${id}`)
      const below = scores.filter(([category, score]) => score < targets[category])
      missedTargets.push(...below.map(([category, score]) => `${name}: ${category} ${score}`))
    }
    for (const row of audited.filter(isMeasured)) await measure(row.name, pathOf(row, scene), scene.cookies[row.as])
    const database = join(service.environment.DATA_DIR, 'database')
    const administrator = await seedAdministrator(service.url, address('mary'), database)
    for (const { name, path } of administrator.pages.filter(isMeasured)) await measure(name, path, await administrator.prove())
    return missedTargets
  })
  if (missed.length > 0)
    throw failure('A page is below its target.', missed.join(', '), 'See the audits above. Measure on an idle machine.')
} catch (error) {
  if (!error.explanation) throw error
  failed = error
} finally {
  await rm(folder, { recursive: true, force: true })
  await service.end()
}
if (failed) fail(failed.message, ...failed.explanation)
