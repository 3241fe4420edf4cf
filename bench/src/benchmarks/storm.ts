import { setTimeout as delay } from 'node:timers/promises'
import type { Outcome } from '../generator.ts'
import {
  atMost,
  type Bench,
  emptyFindings,
  type Findings,
  formatInteger,
  hotSessionsFor,
  median,
  startFloorpassFor,
  withServers,
} from '../measure.ts'
import { floorpassSide, getSession, signIn } from '../requests.ts'
import { generate, type Server } from '../servers.ts'

export async function storm(bench: Bench): Promise<Findings> {
  const findings = emptyFindings()
  await withServers([startFloorpassFor(bench)], async (server) => {
    const { port } = server as Server
    const reads = {
      port,
      connections: 16,
      seconds: bench.seconds * 2,
      rate: 500,
      repeat: true,
      ...getSession(floorpassSide, port, hotSessionsFor(bench)),
    }
    await generate({ ...reads, rate: null, repeat: false, seconds: 60 })
    const quiet: Outcome[] = []
    const stormy: Outcome[] = []
    for (let round = 0; round < bench.rounds; round += 1) {
      quiet.push(await generate(reads))
      const signIns = signIn(floorpassSide, port, 40_000 + round * 5_000, 5_000)
      const load = generate({ port, connections: 64, seconds: bench.seconds * 2 + 1, rate: null, repeat: false, ...signIns })
      await delay(500)
      stormy.push(await generate(reads))
      const { wrong, firstWrong, answers, seconds } = await load
      if (wrong > 0) findings.wrong.push(`storm: ${wrong} wrong sign-ins, the first: ${firstWrong}`)
      bench.say(
        `storm: ${formatInteger(answers / seconds)} sign-ins a second, get-session p99 ${stormy.at(-1)?.p99} ms, quiet ${quiet.at(-1)?.p99} ms`,
      )
    }
    for (const { wrong, firstWrong } of [...quiet, ...stormy])
      if (wrong > 0) findings.wrong.push(`storm: wrong session: ${firstWrong}`)
    const p99 = (outcomes: Outcome[]) => median(outcomes.map((outcome) => outcome.p99))
    findings.notes.push(`| get-session at 500 a second | quiet | 500 | | ${p99(quiet).toFixed(2)} | | |`)
    findings.notes.push(`| get-session at 500 a second | 64 clients signing in | 500 | | ${p99(stormy).toFixed(2)} | | |`)
    findings.findings.push(atMost('get-session p99 in a sign-in storm / quiet', p99(stormy) / p99(quiet), 5, '×'))
  })
  return findings
}
