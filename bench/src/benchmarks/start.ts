import { join } from 'node:path'
import { atMost, type Bench, emptyFindings, type Findings, median } from '../measure.ts'
import { timeStart } from '../servers.ts'

/** Measures repeated starts: everything is built, and the database has its data. */
export async function starts(bench: Bench): Promise<Findings> {
  const findings = emptyFindings()
  const start = (environment: Record<string, string>, timeout: number) =>
    timeStart({ DATA_DIR: join(bench.folder, 'started'), ...environment }, timeout)
  for (const [name, environment, target] of [
    ['embedded', {}, 2],
    ['PostgreSQL', { DATABASE_URL: bench.databases.floorpass }, 1],
  ] as const) {
    await start(environment, 240)
    const took: number[] = []
    for (let count = 0; count < (bench.quick ? 1 : 3); count += 1) took.push(await start(environment, 60))
    findings.findings.push(atMost(`start to first answer, ${name}`, median(took), target, 's'))
  }
  return findings
}
