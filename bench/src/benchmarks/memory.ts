import { setTimeout as delay } from 'node:timers/promises'
import { atMost, type Bench, emptyFindings, type Findings, formatInteger, startFloorpassFor, withServers } from '../measure.ts'
import { floorpassSide, getSession, hotSessions, signUp } from '../requests.ts'
import { generate, type Server } from '../servers.ts'

export async function memory(bench: Bench): Promise<Findings> {
  const findings = emptyFindings()
  await withServers([startFloorpassFor(bench)], async (server) => {
    const { port, residentMegabytes } = server as Server
    await delay(bench.quick ? 0 : 20_000)
    const atRest = await residentMegabytes()
    await generate({
      port,
      connections: 16,
      seconds: 3,
      rate: null,
      repeat: true,
      ...getSession(floorpassSide, port, hotSessions),
    })
    await generate({ port, connections: 4, seconds: 3, rate: null, repeat: false, ...signUp(floorpassSide, port, 20) })
    const busy = await residentMegabytes()
    await delay(bench.quick ? 0 : 20_000)
    findings.notes.push(
      `| memory, MB | after the start, after load, at rest again | ${formatInteger(atRest)}, ${formatInteger(busy)}, ${formatInteger(await residentMegabytes())} | | | | |`,
    )
    findings.findings.push(atMost('memory at rest, on PostgreSQL', atRest, 150, 'MB'), {
      benchmark: 'the same, 20 s after session reads and sign-ups',
      measured: `${formatInteger(await residentMegabytes())} MB`,
      target: '',
      met: null,
    })
  })
  return findings
}
