import { availableParallelism } from 'node:os'
import {
  atLeast,
  type Bench,
  createContender,
  emptyFindings,
  type Findings,
  formatInteger,
  formatRatio,
  measureContenders,
  median,
  rateRatio,
  runScript,
  startFloorpassFor,
  withServers,
} from '../measure.ts'
import { betterAuthSide, floorpassSide, type Side, signIn } from '../requests.ts'
import { generate, postgresCpuSeconds, type Server, startBetterAuth } from '../servers.ts'

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
    const rounds = await measureHashing(bench, floorpass as Server, seconds, findings)
    const raw = median(rounds.map(({ rawRate }) => rawRate))
    const note = (name: string, figure: keyof SignInRound) =>
      `| sign-in/email | ${name} | | | | ${formatInteger(median(rounds.map((round) => round[figure])))} | |`
    findings.notes.push(
      `| sign-in/email | raw argon2id on all cores | ${formatInteger(raw)} | | | | |`,
      note('of it the main thread', 'mainThread'),
      note('PostgreSQL beside it', 'postgres'),
    )
    const ratios = rounds.map(({ ofRest }) => ofRest)
    findings.findings.push(
      atLeast('sign-in/email / better-auth', rateRatio(measured, 'Floorpass', 'better-auth'), 5),
      {
        benchmark: 'sign-in/email / raw argon2id on all cores',
        measured: formatRatio((measured.get('Floorpass')?.rate ?? 0) / raw),
        target: '',
        met: null,
      },
      atLeast('the same, of the processor time that PostgreSQL and the generator leave', median(ratios), 0.9),
      {
        benchmark: 'the same, lowest and highest of the rounds',
        measured: `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
        target: '',
        met: null,
      },
    )
  })
  return findings
}

export type SignInRound = { rawRate: number; rate: number; ofRest: number; mainThread: number; service: number; postgres: number }

/** In turns with raw argon2id. The processor time of PostgreSQL and of the generator is not left for hashes (ADR 050). */
export async function measureHashing(
  bench: Pick<Bench, 'databases' | 'rounds'>,
  server: Server,
  seconds: number,
  findings: Pick<Findings, 'wrong'>,
): Promise<SignInRound[]> {
  const rounds: SignInRound[] = []
  const each = 2_000
  const cores = availableParallelism()
  for (let round = -1; round < bench.rounds; round += 1) {
    const rawRate = Number(await runScript('bench/servers/raw-argon2id.ts', {}, [String(seconds)]))
    const readTimes = () =>
      Promise.all([server.mainThreadSeconds(), server.cpuSeconds(), postgresCpuSeconds(bench.databases.floorpass)])
    const before = await readTimes()
    const { answers, wrong, firstWrong, generatorCpuSeconds, ...outcome } = await generate({
      port: server.port,
      connections: 16,
      rate: null,
      seconds,
      repeat: false,
      ...signIn(floorpassSide, server.port, 60_000 + (round + 1) * each, each),
    })
    if (wrong > 0) findings.wrong.push(`sign-in: ${wrong} wrong answers, the first: ${firstWrong}`)
    const after = await readTimes()
    const [mainThread = 0, service = 0, postgres = 0] = after.map((time, index) => time - (before[index] ?? 0))
    const left = 1 - (postgres + generatorCpuSeconds) / (cores * outcome.seconds)
    const rate = answers / outcome.seconds
    const perSignIn = (time: number) => (time / answers) * 1e6
    if (round >= 0)
      rounds.push({
        rawRate,
        rate,
        ofRest: rate / (rawRate * left),
        mainThread: perSignIn(mainThread),
        service: perSignIn(service),
        postgres: perSignIn(postgres),
      })
  }
  return rounds
}
