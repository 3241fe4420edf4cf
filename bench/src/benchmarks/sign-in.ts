import {
  atLeast,
  type Bench,
  createContender,
  emptyFindings,
  type Findings,
  formatInteger,
  measureContenders,
  median,
  rateRatio,
  runScript,
  startFloorpassFor,
  withServers,
} from '../measure.ts'
import { betterAuthSide, floorpassSide, type Side, signIn } from '../requests.ts'
import { type Server, startBetterAuth } from '../servers.ts'

export async function signInSpeed(bench: Bench): Promise<Findings> {
  const findings = emptyFindings()
  const seconds = bench.quick ? 1 : 4
  await withServers([startFloorpassFor(bench), startBetterAuth(bench.databases.betterAuth)], async (floorpass, betterAuth) => {
    const each = 2_000
    const ask = (side: Side, port: number, round: number) => signIn(side, port, 20_000 + (round + 1) * each, each)
    const measured = await measureContenders(
      bench,
      'sign-in/email',
      [createContender(floorpassSide, floorpass as Server, ask), createContender(betterAuthSide, betterAuth as Server, ask)],
      findings,
      { seconds, connections: 16 },
    )
    const raw: number[] = []
    for (let round = 0; round < bench.rounds; round += 1)
      raw.push(Number(await runScript('bench/servers/raw-argon2id.ts', {}, [String(seconds)])))
    findings.notes.push(`| sign-in/email | raw argon2id on all cores | ${formatInteger(median(raw))} | | | | |`)
    findings.findings.push(
      atLeast('sign-in/email / better-auth', rateRatio(measured, 'Floorpass', 'better-auth'), 5),
      atLeast('sign-in/email / raw argon2id on all cores', (measured.get('Floorpass')?.rate ?? 0) / median(raw), 0.9),
    )
  })
  return findings
}
