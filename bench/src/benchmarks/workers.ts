import { availableParallelism } from 'node:os'
import {
  atLeast,
  type Bench,
  emptyFindings,
  type Findings,
  formatRatio,
  measureContenders,
  rateRatio,
  startFloorpassFor,
  withServers,
} from '../measure.ts'
import { page } from '../requests.ts'
import type { Server } from '../servers.ts'

// Requests pages, because a `get-session` costs the generator as much as the service. On two cores the workers share what the
// generator leaves, so their rate is divided by that share.
export async function workers(bench: Bench): Promise<Findings> {
  const findings = emptyFindings()
  await withServers([startFloorpassFor(bench), startFloorpassFor(bench, { WEB_CONCURRENCY: '2' })], async (one, two) => {
    const ask = (server: Server) => () => page('/login', server.port, '</html>')
    const measured = await measureContenders(
      bench,
      '/login',
      [
        { name: 'one process', server: one as Server, requests: ask(one as Server) },
        { name: 'two workers', server: two as Server, requests: ask(two as Server) },
      ],
      findings,
      { connections: 64, seconds: bench.seconds * 2 },
    )
    const both = measured.get('two workers')
    const left = Math.min(2, availableParallelism() - (both?.generatorShare ?? Number.NaN)) / 2
    const raw = rateRatio(measured, 'two workers', 'one process')
    findings.findings.push(atLeast('two workers / one, of the cores that the generator leaves', raw / left, 1.7), {
      benchmark: 'the same, as measured',
      measured: formatRatio(raw),
      target: '',
      met: null,
    })
  })
  return findings
}
