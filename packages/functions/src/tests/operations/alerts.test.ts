import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { adminOf } from '@floorpass/testing/admin-command'
import { createTestApp, type TestApp } from '@floorpass/testing/create-test-app'
import { alertRules, hasPromtool, runPromtool, testAlerts } from '@floorpass/testing/promtool'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const token = 'what-only-prometheus-knows'
const fromRoot = (path: string) => fileURLToPath(new URL(`../../../../../${path}`, import.meta.url))
const read = (path: string) => readFileSync(fromRoot(path), 'utf8')

type Rule = {
  alert: string
  expr: string
  labels: Record<string, string>
  annotations: { summary?: string; runbook_url?: string }
}
const rules: Rule[] = parse(readFileSync(alertRules, 'utf8')).groups.flatMap((group: { rules: Rule[] }) => group.rules)

type Panel = { id: number; title: string; type: string; description?: string; targets?: { expr: string }[]; gridPos: Place }
type Place = { x: number; y: number; w: number; h: number }
const dashboard: { uid: string; panels: Panel[]; templating: { list: { name: string; query: unknown }[] } } = JSON.parse(
  read('deploy/monitoring/dashboard.json'),
)
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const asPromQL = (expression: string) =>
  expression.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.+').replaceAll('$job', 'floorpass')

const scrape = async (app: TestApp): Promise<string> =>
  String((await app.browser().get('/metrics', { headers: { authorization: `Bearer ${token}` } })).body)

const metricNames = (expression: string): string[] => [
  ...new Set((expression.match(/\b(?:floorpass|process|nodejs)_\w+/g) ?? []).map((name) => name.replace(/_bucket$/, ''))),
]
/** The primary of the workers adds these; one process has none. */
const ofPrimary = ['floorpass_workers', 'floorpass_workers_configured']

const passed = expect.objectContaining({ status: 0 })

describe.runIf(hasPromtool())('the alerts', () => {
  test('are valid rules of Prometheus, in a valid configuration', () => {
    expect(runPromtool(['check', 'rules', '--lint-fatal', alertRules])).toEqual(passed)
    expect(runPromtool(['check', 'config', '--syntax-only', fromRoot('deploy/monitoring/prometheus.yml')])).toEqual(passed)
  })

  test('are silent on a service without faults', async () => {
    const app = await createTestApp({ METRICS_TOKEN: token })
    const scrapes = [await scrape(app)]
    await app.signedIn()
    await app.browser().get('/nowhere')
    scrapes.push(await scrape(app), await scrape(app))
    expect(testAlerts(scrapes, [])).toEqual(passed)
  })

  test('see the first fault of a fresh process', async () => {
    const app = await createTestApp({ METRICS_TOKEN: token })
    const tab = await app.signedIn()
    const scrapes = [await scrape(app)]
    await app.db.$executeRaw`ALTER TABLE sessions RENAME COLUMN user_agent TO lost`
    const answer = await tab.get('/auth/list-sessions')
    expect([answer.status, answer.code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
    scrapes.push(await scrape(app), await scrape(app))
    expect(testAlerts(scrapes, ['FloorpassFault', 'FloorpassServerErrors'])).toEqual(passed)
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
    expect(testAlerts(scrapes, ['FloorpassServiceCallsRefused'])).toEqual(passed)
  })

  test('miss a host only when neither of its two ports answers', () => {
    const ports = (...values: number[]) =>
      Array(3).fill(values.map((value, port) => `up{job="floorpass",instance="node-a:300${port}"} ${value}`).join('\n'))
    expect(testAlerts(ports(1, 0), [])).toEqual(passed)
    expect(testAlerts(ports(0, 0), ['FloorpassDown'])).toEqual(passed)
  })

  test('see a wait of more than a second for a database connection', () => {
    const waits = (seconds: number) => Array(2).fill(`floorpass_database_connection_longest_wait_seconds ${seconds}`)
    expect(testAlerts(waits(1.1), ['FloorpassDatabasePoolExhausted'])).toEqual(passed)
    expect(testAlerts(waits(1), ['FloorpassDatabasePoolExhausted']).status).toBe(1)
  })

  test('see a session channel that is down', () => {
    const channel = (up: number) => Array(2).fill(`floorpass_session_channel_up{job="floorpass"} ${up}`)
    expect(testAlerts(channel(0), ['FloorpassSessionChannelDown'])).toEqual(passed)
    expect(testAlerts(channel(1), ['FloorpassSessionChannelDown']).status).toBe(1)
  })

  test('read metrics that pass the checks of Prometheus', async () => {
    const text = await scrape(await createTestApp({ METRICS_TOKEN: token }))
    const problems = runPromtool(['check', 'metrics'], text).output.split('\n').filter(Boolean)
    // prom-client's own names, which dashboards of others know.
    expect(problems.filter((line) => !line.startsWith('nodejs_active_'))).toEqual([])
  })

  test('and panels use PromQL that Prometheus understands', () => {
    const recorded = expressions.map((expr, index) => ({ record: `panel:${index}`, expr: asPromQL(expr) }))
    expect(runPromtool(['check', 'rules', { groups: [{ name: 'panels', rules: recorded }] }])).toEqual(passed)
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
