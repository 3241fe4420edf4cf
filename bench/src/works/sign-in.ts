import {
  atLeast,
  type Bench,
  compete,
  contender,
  type Findings,
  floorpassOf,
  median,
  none,
  output,
  quotient,
  whole,
  withServers,
} from '../measure.ts'
import { betterAuthSide, floorpassSide, type Side, signIn } from '../requests.ts'
import { type Server, startBetterAuth } from '../servers.ts'

export async function signInWork(bench: Bench): Promise<Findings> {
  const findings = none()
  const seconds = bench.quick ? 1 : 4
  await withServers([floorpassOf(bench), startBetterAuth(bench.databases.betterAuth)], async (floorpass, betterAuth) => {
    const each = 2_000
    const ask = (side: Side, port: number, round: number) => signIn(side, port, 20_000 + (round + 1) * each, each)
    const measured = await compete(
      bench,
      'sign-in/email',
      [contender(floorpassSide, floorpass as Server, ask), contender(betterAuthSide, betterAuth as Server, ask)],
      findings,
      { seconds, connections: 16 },
    )
    const raw: number[] = []
    for (let round = 0; round < bench.rounds; round += 1)
      raw.push(Number(await output('bench/servers/raw-argon2id.ts', {}, [String(seconds)])))
    findings.notes.push(`| sign-in/email | raw argon2id on all cores | ${whole(median(raw))} | | | | |`)
    findings.findings.push(
      atLeast('sign-in/email / better-auth', quotient(measured, 'Floorpass', 'better-auth'), 5),
      atLeast('sign-in/email / raw argon2id on all cores', (measured.get('Floorpass')?.rate ?? 0) / median(raw), 0.9),
    )
  })
  return findings
}
