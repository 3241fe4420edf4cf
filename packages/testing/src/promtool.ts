import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closeAfterFile } from './close-after-file.ts'
import { isInstalled } from './recipe-process.ts'

export const hasPromtool = (): boolean => isInstalled('prometheus', 'promtool', '--version')

export const alertRules = fileURLToPath(new URL('../../../deploy/monitoring/alerts.yml', import.meta.url))

type Outcome = { status: number | null; output: string }

/** Runs a command of promtool. An object stands for a file with it. */
export function runPromtool(args: (string | object)[], input = ''): Outcome {
  const folder = mkdtempSync(join(tmpdir(), 'floorpass-promtool-'))
  closeAfterFile(async () => rmSync(folder, { recursive: true, force: true }))
  const words = args.map((arg, place) => {
    if (typeof arg === 'string') return arg
    const file = join(folder, `${place}.json`)
    writeFileSync(file, JSON.stringify(arg))
    return file
  })
  const { status, stdout, stderr } = spawnSync('promtool', words, { input, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

/** A busy machine raises them: a heartbeat comes late, or a request waits a second for a connection. */
const ofBusyMachines = ['FloorpassSessionChannelDown', 'FloorpassDatabasePoolExhausted']

/** Tests that exactly these alerts are pending or firing after the scrapes, which lie a minute apart. Those of a busy machine may be too. */
export function testAlerts(scrapes: string[], names: string[]): Outcome {
  const others = ofBusyMachines.filter((name) => !names.includes(name))
  const samples = scrapes.map(
    (text) => new Map([...text.matchAll(/^(\w+\S*) (\S+)$/gm)].map(([, series = '', value]) => [series, value])),
  )
  const series = [...new Set(samples.flatMap((sample) => [...sample.keys()]))]
  const expected = {
    expr: `group by (alertname) (ALERTS{alertname!~"${others.join('|')}"})`,
    eval_time: `${scrapes.length - 1}m`,
    exp_samples: names.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
  }
  const input = series.map((name) => ({ series: name, values: samples.map((sample) => sample.get(name) ?? '_').join(' ') }))
  const unitTest = { interval: '1m', input_series: input, promql_expr_test: [expected] }
  return runPromtool(['test', 'rules', { rule_files: [alertRules], evaluation_interval: '1m', tests: [unitTest] }])
}
