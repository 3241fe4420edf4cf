import { sessionsPerUser } from '../data.ts'
import {
  atLeast,
  type Bench,
  createContender,
  emptyFindings,
  type Findings,
  measureContenders,
  rateRatio,
  startFloorpassFor,
  withServers,
} from '../measure.ts'
import { betterAuthSide, floorpassSide, getSession, type Side } from '../requests.ts'
import { type Server, startBetterAuth } from '../servers.ts'

export async function getSessionCold(bench: Bench): Promise<Findings> {
  const findings = emptyFindings()
  await withServers([startFloorpassFor(bench), startBetterAuth(bench.databases.betterAuth)], async (floorpass, betterAuth) => {
    // Take every tenth user, so that sessions in one page of the table do not warm each other up.
    const cold = Array.from({ length: 90_000 }, (_, index) => ((index * 10) % 90_000) + Math.floor(index / 9_000)).map(
      (user) => (user + 10_000) * sessionsPerUser,
    )
    const each = Math.floor(cold.length / (bench.rounds + 1))
    const ask = (side: Side, port: number, round: number) =>
      getSession(side, port, cold.slice((round + 1) * each, (round + 2) * each))
    const measured = await measureContenders(
      bench,
      'get-session, cold',
      [createContender(floorpassSide, floorpass as Server, ask), createContender(betterAuthSide, betterAuth as Server, ask)],
      findings,
      { repeat: false },
    )
    findings.findings.push(atLeast('get-session, cold / better-auth', rateRatio(measured, 'Floorpass', 'better-auth'), 1.5))
  })
  return findings
}
