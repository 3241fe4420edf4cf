import { join } from 'node:path'
import { atMost, type Bench, emptyFindings, type Findings, runScript } from '../measure.ts'

/** Calls the procedure from server code, without HTTP, in a separate process. */
export async function inProcess(bench: Bench): Promise<Findings> {
  const findings = emptyFindings()
  const { perCall, cpuPerCall, wrong } = JSON.parse(
    await runScript('bench/servers/in-process.ts', {
      DATABASE_URL: bench.databases.floorpass,
      DATA_DIR: join(bench.folder, 'data'),
    }),
  ) as { perCall: number; cpuPerCall: number; wrong: number }
  if (wrong > 0) findings.wrong.push(`in-process: ${wrong} wrong answers`)
  findings.notes.push(`| sessions.get in-process | ${perCall.toFixed(1)} µs by the clock | | | | ${cpuPerCall.toFixed(1)} | |`)
  findings.findings.push(atMost('sessions.get in-process, warm, processor time', cpuPerCall, 20, 'µs'))
  return findings
}
