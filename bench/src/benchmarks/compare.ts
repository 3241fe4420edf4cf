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
import { betterAuthSide, floorpassSide, type Requests, type Side } from '../requests.ts'
import { type Server, startBetterAuth } from '../servers.ts'

/** Compares Floorpass with better-auth on one route. `target` is the wanted ratio of requests per second. */
export const compareWithBetterAuth =
  (
    benchmark: string,
    ask: (side: Side, port: number, round: number) => Requests,
    target: number,
    options: Parameters<typeof measureContenders>[4] = {},
  ) =>
  async (bench: Bench): Promise<Findings> => {
    const findings = emptyFindings()
    await withServers([startFloorpassFor(bench), startBetterAuth(bench.databases.betterAuth)], async (floorpass, betterAuth) => {
      const measured = await measureContenders(
        bench,
        benchmark,
        [createContender(floorpassSide, floorpass as Server, ask), createContender(betterAuthSide, betterAuth as Server, ask)],
        findings,
        options,
      )
      findings.findings.push(atLeast(`${benchmark} / better-auth`, rateRatio(measured, 'Floorpass', 'better-auth'), target))
    })
    return findings
  }
