import { availableParallelism } from 'node:os'
import { atLeast, type Bench, compete, type Findings, floorpassOf, none, quotient, ratio, withServers } from '../measure.ts'
import { page } from '../requests.ts'
import type { Server } from '../servers.ts'

/**
 * Pages, which cost the service many times what they cost the generator: of a `get-session` both cost the same, and one process and the
 * generator fill two cores already. One process has a core to itself, and the generator another; two workers on two cores have what the
 * generator leaves, so their rate is what they reached divided by their share. Of more cores each has its own.
 */
export async function workers(bench: Bench): Promise<Findings> {
  const findings = none()
  await withServers([floorpassOf(bench), floorpassOf(bench, { WEB_CONCURRENCY: '2' })], async (one, two) => {
    const ask = (server: Server) => () => page('/login', server.port, '</html>')
    const measured = await compete(
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
    const raw = quotient(measured, 'two workers', 'one process')
    findings.findings.push(atLeast('two workers / one, of the cores that the generator leaves', raw / left, 1.7), {
      work: 'the same, as it was measured',
      measured: ratio(raw),
      target: '',
      met: null,
    })
  })
  return findings
}
