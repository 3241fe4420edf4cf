import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { adminOf } from '@floorpass/testing/admin-command'
import { createTestApp, type TestApp } from '@floorpass/testing/create-test-app'
import { afterAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'

const token = 'what-only-prometheus-knows'
const fromRoot = (path: string) => fileURLToPath(new URL(`../../../../../${path}`, import.meta.url))
const read = (path: string) => readFileSync(fromRoot(path), 'utf8')
const rulesFile = fromRoot('deploy/monitoring/alerts.yml')

type Rule = {
  alert: string
  expr: string
  labels: Record<string, string>
  annotations: { summary?: string; runbook_url?: string }
}
const rules: Rule[] = parse(readFileSync(rulesFile, 'utf8')).groups.flatMap((group: { rules: Rule[] }) => group.rules)

type Panel = { id: number; title: string; type: string; description?: string; targets?: { expr: string }[]; gridPos: Place }
type Place = { x: number; y: number; w: number; h: number }
const dashboard: { uid: string; panels: Panel[]; templating: { list: { name: string; query: unknown }[] } } = JSON.parse(
  read('deploy/monitoring/dashboard.json'),
)
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const asPromQL = (expression: string) =>
  expression.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.+').replaceAll('$job', 'floorpass')

const folder = mkdtempSync(join(tmpdir(), 'floorpass-alerts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const write = (content: unknown): string => {
  files += 1
  const path = join(folder, `${files}.yml`)
  writeFileSync(path, stringify(content))
  return path
}

const promtool = (args: string[], input = '') => {
  const { status, stdout, stderr, error } = spawnSync('promtool', args, { input, encoding: 'utf8' })
  if (error) throw error
  return { status, output: stdout + stderr }
}
const isInstalled = spawnSync('promtool', ['--version']).status === 0

const scrape = async (app: TestApp): Promise<string> =>
  String((await app.browser().get('/metrics', { headers: { authorization: `Bearer ${token}` } })).body)

const metricNames = (expression: string): string[] => [
  ...new Set((expression.match(/\b(?:floorpass|process|nodejs)_\w+/g) ?? []).map((name) => name.replace(/_bucket$/, ''))),
]
/** The primary of the workers adds these; one process has none. */
const ofPrimary = ['floorpass_workers', 'floorpass_workers_configured']

/** Expects that these alerts are pending or firing after scrapes a minute apart. */
function expectAlerts(scrapes: string[], names: string[]): void {
  const samples = scrapes.map(
    (text) => new Map([...text.matchAll(/^(\w+\S*) (\S+)$/gm)].map(([, series = '', value]) => [series, value])),
  )
  const series = [...new Set(samples.flatMap((sample) => [...sample.keys()]))]
  const time = `${scrapes.length - 1}m`
  const unitTest = write({
    rule_files: [rulesFile],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: series.map((name) => ({
          series: name,
          values: samples.map((sample) => sample.get(name) ?? '_').join(' '),
        })),
        promql_expr_test: [
          {
            expr: 'group by (alertname) (ALERTS)',
            eval_time: time,
            exp_samples: names.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
          },
        ],
      },
    ],
  })
  const { status, output } = promtool(['test', 'rules', unitTest])
  expect(status, output).toBe(0)
}

describe.runIf(isInstalled)('the alerts', () => {
  test('are valid rules of Prometheus, in a valid configuration', () => {
    expect(promtool(['check', 'rules', '--lint-fatal', rulesFile])).toMatchObject({ status: 0 })
    expect(promtool(['check', 'config', '--syntax-only', fromRoot('deploy/monitoring/prometheus.yml')])).toMatchObject({
      status: 0,
    })
  })

  test('are silent on a service without faults', async () => {
    const app = await createTestApp({ METRICS_TOKEN: token })
    const scrapes = [await scrape(app)]
    await app.signedIn()
    await app.browser().get('/nowhere')
    scrapes.push(await scrape(app), await scrape(app))
    expectAlerts(scrapes, [])
  })

  test('see the first fault of a fresh process', async () => {
    const app = await createTestApp({ METRICS_TOKEN: token })
    const tab = await app.signedIn()
    const scrapes = [await scrape(app)]
    await app.db.$executeRaw`ALTER TABLE sessions RENAME COLUMN user_agent TO lost`
    const answer = await tab.get('/auth/list-sessions')
    expect([answer.status, answer.code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
    scrapes.push(await scrape(app), await scrape(app))
    expectAlerts(scrapes, ['FloorpassFault', 'FloorpassServerErrors'])
  })

  test('see the first refused call of a service', async () => {
    const app = await createTestApp({ METRICS_TOKEN: token })
    const created = await adminOf(app)('create-service', 'gateway', '--scopes', 'events:read', '--quiet')
    const secret = created.stdout.trim()
    await scrape(app)
    const scrapes = [await scrape(app)]
    const answer = await app
      .browser({ origin: null })
      .post('/auth/introspect', { token: 'x' }, { headers: { authorization: `Bearer ${secret}` } })
    expect(answer.code).toBe('INSUFFICIENT_SCOPE')
    scrapes.push(await scrape(app), await scrape(app))
    expectAlerts(scrapes, ['FloorpassServiceCallsRefused'])
  })

  test('read metrics that pass the checks of Prometheus', async () => {
    const text = await scrape(await createTestApp({ METRICS_TOKEN: token }))
    const problems = promtool(['check', 'metrics'], text).output.split('\n').filter(Boolean)
    // prom-client's own names, which dashboards of others know.
    expect(problems.filter((line) => !line.startsWith('nodejs_active_'))).toEqual([])
  })

  test('and panels use PromQL that Prometheus understands', () => {
    const recorded = expressions.map((expr, index) => ({ record: `panel:${index}`, expr: asPromQL(expr) }))
    expect(promtool(['check', 'rules', write({ groups: [{ name: 'panels', rules: recorded }] })])).toMatchObject({ status: 0 })
  })
})

describe('alerts and dashboard', () => {
  test('name only metrics that the service exports', async () => {
    const text = await scrape(await createTestApp({ METRICS_TOKEN: token }))
    const exported = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name).concat(ofPrimary)
    const used = [...rules.map(({ expr }) => expr), ...expressions].flatMap(metricNames)
    expect(used.filter((name) => !exported.includes(name))).toEqual([])
  })

  test('show every metric of an alert in a panel', () => {
    const shown = expressions.flatMap(metricNames)
    expect(rules.flatMap(({ expr }) => metricNames(expr)).filter((name) => !shown.includes(name))).toEqual([])
  })

  test('have panels with a title and a description, each in its own place, with known variables', () => {
    const { panels, templating } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const overlaps = panels.flatMap(({ title, gridPos: left }, index) =>
      panels
        .slice(index + 1)
        .filter(({ gridPos: right }) => left.x < right.x + right.w && right.x < left.x + left.w)
        .filter(({ gridPos: right }) => left.y < right.y + right.h && right.y < left.y + left.h)
        .map((other) => [title, other.title]),
    )
    expect(overlaps).toEqual([])
    const graphs = panels.filter(({ type }) => type !== 'row')
    expect(graphs.filter(({ title, description, targets }) => !title || !description || !targets?.length)).toEqual([])
    const known = [...templating.list.map(({ name }) => name), '__rate_interval', '__all']
    const variables = [...JSON.stringify(dashboard).matchAll(/\$\{?(\w+)/g)].map(([, name = '']) => name)
    expect(variables.filter((name) => !known.includes(name))).toEqual([])
  })

  test('have one heading in the runbook for each alert, and no other', () => {
    const headings = [...read('docs/runbook.md').matchAll(/^## (Floorpass\w+)$/gm)].map(([, name]) => name)
    expect(headings).toEqual(rules.map(({ alert }) => alert))
    for (const { alert, annotations, labels } of rules) {
      expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`)
      expect(annotations.summary).toBeTruthy()
      expect(['critical', 'warning']).toContain(labels.severity)
    }
  })
})
