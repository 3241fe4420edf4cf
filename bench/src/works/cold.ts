import { sessionsPerUser } from '../data.ts'
import { atLeast, type Bench, compete, contender, type Findings, floorpassOf, none, quotient, withServers } from '../measure.ts'
import { betterAuthSide, floorpassSide, getSession, type Side } from '../requests.ts'
import { type Server, startBetterAuth } from '../servers.ts'

export async function getSessionCold(bench: Bench): Promise<Findings> {
  const findings = none()
  await withServers([floorpassOf(bench), startBetterAuth(bench.databases.betterAuth)], async (floorpass, betterAuth) => {
    // Every tenth user's, so that neighbours in a page of the table do not warm each other up.
    const cold = Array.from({ length: 90_000 }, (_, index) => ((index * 10) % 90_000) + Math.floor(index / 9_000)).map(
      (user) => (user + 10_000) * sessionsPerUser,
    )
    const each = Math.floor(cold.length / (bench.rounds + 1))
    const ask = (side: Side, port: number, round: number) =>
      getSession(side, port, cold.slice((round + 1) * each, (round + 2) * each))
    const measured = await compete(
      bench,
      'get-session, cold',
      [contender(floorpassSide, floorpass as Server, ask), contender(betterAuthSide, betterAuth as Server, ask)],
      findings,
      { repeat: false },
    )
    findings.findings.push(atLeast('get-session, cold / better-auth', quotient(measured, 'Floorpass', 'better-auth'), 1.5))
  })
  return findings
}
