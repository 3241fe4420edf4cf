import { join } from 'node:path'
import { atMost, type Bench, type Findings, median, none } from '../measure.ts'
import { timeStart } from '../servers.ts'

/** `npm start` the second time: everything was built, the database has its data. */
export async function starts(bench: Bench): Promise<Findings> {
  const findings = none()
  const start = (environment: Record<string, string>, patience: number) =>
    timeStart({ DATA_DIR: join(bench.folder, 'started'), ...environment }, patience)
  for (const [name, environment, target] of [
    ['embedded', {}, 2],
    ['PostgreSQL', { DATABASE_URL: bench.databases.floorpass }, 1],
  ] as const) {
    // The first one makes the database, and what else only a first start makes.
    await start(environment, 240)
    const took: number[] = []
    for (let count = 0; count < (bench.quick ? 1 : 3); count += 1) took.push(await start(environment, 60))
    findings.findings.push(atMost(`start to first answer, ${name}`, median(took), target, 's'))
  }
  return findings
}
