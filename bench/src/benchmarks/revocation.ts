import { floorpassCookie, sessionsPerUser } from '../data.ts'
import { atMost, type Bench, emptyFindings, type Findings, startFloorpassFor, withServers } from '../measure.ts'
import type { Server } from '../servers.ts'

/** Measures the time from the sign-out answer of one process until another process, polled without pause, returns null. */
export async function revocation(bench: Bench): Promise<Findings> {
  const findings = emptyFindings()
  await withServers([startFloorpassFor(bench), startFloorpassFor(bench)], async (one, other) => {
    const url = (server: Server | undefined, path: string) => `http://127.0.0.1:${server?.port}/auth/${path}`
    const times: number[] = []
    for (let index = 0; index < (bench.quick ? 20 : 300); index += 1) {
      const cookie = floorpassCookie((95_000 + index) * sessionsPerUser + 1)
      const seen = async () => (await fetch(url(other, 'get-session'), { headers: { cookie } })).json()
      for (let warm = 0; warm < 3; warm += 1)
        if ((await seen()) === null) findings.wrong.push('revocation: a live session was not seen')
      const origin = `http://127.0.0.1:${one?.port}`
      const answer = await fetch(url(one, 'sign-out'), { method: 'POST', headers: { cookie, origin } })
      const answered = performance.now()
      if (!answer.ok) findings.wrong.push(`revocation: sign-out answered ${answer.status}`)
      while ((await seen()) !== null) if (performance.now() - answered > 10_000) throw new Error('a revocation was never seen')
      times.push(performance.now() - answered)
    }
    times.sort((left, right) => left - right)
    findings.findings.push(
      atMost('revocation seen by another process, p99', times[Math.floor(times.length * 0.99)] ?? Number.NaN, 50, 'ms'),
    )
  })
  return findings
}
