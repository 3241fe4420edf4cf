import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Databases } from './data.ts'
import type { Outcome } from './generator.ts'
import { floorpassSide, hotSessions, type Requests, type Side } from './requests.ts'
import { floorpassEnvironment, generate, root, type Server, startFloorpass } from './servers.ts'

export type Bench = {
  databases: Databases
  folder: string
  rounds: number
  seconds: number
  quick: boolean
  say(line: string): void
}

/** One line of the table of targets. `met` is null without a target. */
export type Finding = { benchmark: string; measured: string; target: string; met: boolean | null }
export type Findings = { findings: Finding[]; notes: string[]; wrong: string[] }

export type Contender = { name: string; server: Server; requests(round: number): Requests; connections?: number }
export type Measured = { name: string; rate: number; p50: number; p99: number; cpuMicroseconds: number; generatorShare: number }

export const median = (figures: number[]): number => {
  const sorted = figures.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
export const formatInteger = (figure: number): string => Math.round(figure).toLocaleString('en')
export const formatRatio = (figure: number): string => `${figure.toFixed(figure < 10 ? 2 : 1)} ×`

/** Measures the contenders in turns, so that other load on the machine affects all of them. */
export async function measureContenders(
  bench: Bench,
  benchmark: string,
  contenders: Contender[],
  findings: Findings,
  { repeat = true, fills = false, seconds = bench.seconds, rounds = bench.rounds, connections = 32 } = {},
): Promise<Map<string, Measured>> {
  const outcomes = new Map<string, (Outcome & { cpu: number })[]>(contenders.map(({ name }) => [name, []]))
  for (let round = -1; round < rounds; round += 1) {
    for (const { name, server, requests } of contenders) {
      const cpu = await server.cpuSeconds()
      const outcome = await generate({
        port: server.port,
        connections,
        rate: null,
        // Round -1 is the warm-up. Floorpass reads every session once in it when the benchmark `fills` its cache.
        seconds: round < 0 && fills && name === floorpassSide.name ? 60 : seconds,
        repeat: repeat && !(round < 0 && fills && name === floorpassSide.name),
        ...requests(round),
      })
      if (outcome.wrong > 0)
        findings.wrong.push(`${benchmark}, ${name}: ${outcome.wrong} wrong answers, the first: ${outcome.firstWrong}`)
      if (round >= 0) outcomes.get(name)?.push({ ...outcome, cpu: (await server.cpuSeconds()) - cpu })
    }
  }
  const measured = new Map(
    contenders.map(({ name }) => {
      const rows = outcomes.get(name) ?? []
      return [
        name,
        {
          name,
          rate: median(rows.map(({ answers, seconds }) => answers / seconds)),
          p50: median(rows.map(({ p50 }) => p50)),
          p99: median(rows.map(({ p99 }) => p99)),
          cpuMicroseconds: median(rows.map(({ cpu, answers }) => (cpu / answers) * 1e6)),
          generatorShare: median(rows.map(({ generatorCpuSeconds, seconds }) => generatorCpuSeconds / seconds)),
        },
      ]
    }),
  )
  for (const { name, rate, p50, p99, cpuMicroseconds, generatorShare } of measured.values()) {
    const line = `| ${benchmark} | ${name} | ${formatInteger(rate)} | ${p50.toFixed(2)} | ${p99.toFixed(2)} | ${formatInteger(cpuMicroseconds)} | ${Math.round(generatorShare * 100)} % |`
    findings.notes.push(line)
    bench.say(line)
  }
  return measured
}

export const rateRatio = (measured: Map<string, Measured>, upper: string, lower: string): number =>
  (measured.get(upper)?.rate ?? Number.NaN) / (measured.get(lower)?.rate ?? Number.NaN)

export const atLeast = (benchmark: string, figure: number, target: number): Finding => ({
  benchmark,
  measured: formatRatio(figure),
  target: `≥ ${target} ×`,
  met: figure >= target,
})

export const atMost = (benchmark: string, figure: number, target: number, unit: string): Finding => ({
  benchmark,
  measured: `${figure.toFixed(figure < 10 ? 2 : 0)} ${unit}`,
  target: `≤ ${target} ${unit}`,
  met: figure <= target,
})

export const hotSessionsFor = ({ quick }: Bench): number[] => (quick ? hotSessions.slice(0, 500) : hotSessions)
export const emptyFindings = (): Findings => ({ findings: [], notes: [], wrong: [] })

export async function withServers(start: Promise<Server>[], work: (...servers: Server[]) => Promise<void>): Promise<void> {
  const servers = await Promise.all(start)
  try {
    await work(...servers)
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

export const startFloorpassFor = ({ databases, folder }: Bench, environment: Record<string, string> = {}) =>
  startFloorpass({ DATABASE_URL: databases.floorpass, ...environment }, folder)

export const createContender = (
  side: Side,
  server: Server,
  requests: (side: Side, port: number, round: number) => Requests,
): Contender => ({
  name: side.name,
  server,
  requests: (round) => requests(side, server.port, round),
})

export async function runScript(script: string, environment: Record<string, string>, args: string[] = []): Promise<string> {
  const node = join(root, 'node_modules/node/bin/node')
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', script, ...args], {
    cwd: root,
    env: floorpassEnvironment({ RATE_LIMIT: 'off', LOG_LEVEL: 'silent', ...environment }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk
  })
  await once(child, 'close')
  return printed
}
