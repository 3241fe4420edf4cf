import { setTimeout as delay } from 'node:timers/promises'
import { atMost, type Bench, type Findings, floorpassOf, none, whole, withServers } from '../measure.ts'
import { floorpassSide, getSession, hotSessions, signUp } from '../requests.ts'
import { generate, type Server } from '../servers.ts'

export async function memory(bench: Bench): Promise<Findings> {
  const findings = none()
  await withServers([floorpassOf(bench)], async (server) => {
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
      `| memory, MB | after the start, after work, at rest again | ${whole(atRest)}, ${whole(busy)}, ${whole(await residentMegabytes())} | | | | |`,
    )
    findings.findings.push(atMost('memory at rest, on PostgreSQL', atRest, 150, 'MB'), {
      work: 'the same 20 s after sessions were read and people signed up',
      measured: `${whole(await residentMegabytes())} MB`,
      target: '',
      met: null,
    })
  })
  return findings
}
