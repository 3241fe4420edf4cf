import {
  atMost,
  type Bench,
  emptyFindings,
  type Findings,
  measureContenders,
  startFloorpassFor,
  withServers,
} from '../measure.ts'
import { page } from '../requests.ts'
import { generate, type Server } from '../servers.ts'

export async function loginPage(bench: Bench): Promise<Findings> {
  const findings = emptyFindings()
  await withServers([startFloorpassFor(bench)], async (server) => {
    const { port } = server as Server
    const requests = page('/login', port, '</html>')
    await measureContenders(
      bench,
      '/login',
      [{ name: 'Floorpass', server: server as Server, requests: () => requests }],
      findings,
    )
    const steady = await generate({ port, connections: 64, seconds: bench.seconds * 2, rate: 200, repeat: true, ...requests })
    if (steady.wrong > 0) findings.wrong.push(`/login: ${steady.firstWrong}`)
    findings.notes.push(`| /login at 200 a second | Floorpass | 200 | ${steady.p50.toFixed(2)} | ${steady.p99.toFixed(2)} | | |`)
    findings.findings.push(atMost('/login p99 at 200 requests a second', steady.p99, 25, 'ms'))
  })
  return findings
}
