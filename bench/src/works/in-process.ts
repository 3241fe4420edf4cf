import { join } from 'node:path'
import { atMost, type Bench, type Findings, none, output } from '../measure.ts'

/** The procedure as a team's own server code calls it, in this very process tree but one of its own. */
export async function inProcess(bench: Bench): Promise<Findings> {
  const findings = none()
  const { perCall, cpuPerCall, wrong } = JSON.parse(
    await output('bench/servers/in-process.ts', {
      DATABASE_URL: bench.databases.floorpass,
      DATA_DIR: join(bench.folder, 'data'),
    }),
  ) as { perCall: number; cpuPerCall: number; wrong: number }
  if (wrong > 0) findings.wrong.push(`in-process: ${wrong} wrong answers`)
  findings.notes.push(`| sessions.get in-process | ${perCall.toFixed(1)} µs by the clock | | | | ${cpuPerCall.toFixed(1)} | |`)
  findings.findings.push(atMost('sessions.get in-process, warm, processor time', cpuPerCall, 20, 'µs'))
  return findings
}
