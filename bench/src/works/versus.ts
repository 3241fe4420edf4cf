import { atLeast, type Bench, compete, contender, type Findings, floorpassOf, none, quotient, withServers } from '../measure.ts'
import { betterAuthSide, floorpassSide, type Requests, type Side } from '../requests.ts'
import { type Server, startBetterAuth } from '../servers.ts'

export const versus =
  (
    work: string,
    ask: (side: Side, port: number, round: number) => Requests,
    target: number,
    options: Parameters<typeof compete>[4] = {},
  ) =>
  async (bench: Bench): Promise<Findings> => {
    const findings = none()
    await withServers([floorpassOf(bench), startBetterAuth(bench.databases.betterAuth)], async (floorpass, betterAuth) => {
      const measured = await compete(
        bench,
        work,
        [contender(floorpassSide, floorpass as Server, ask), contender(betterAuthSide, betterAuth as Server, ask)],
        findings,
        options,
      )
      findings.findings.push(atLeast(`${work} / better-auth`, quotient(measured, 'Floorpass', 'better-auth'), target))
    })
    return findings
  }
