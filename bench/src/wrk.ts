import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Bench, type Findings, formatInteger, median } from './measure.ts'
import { root, type Server } from './servers.ts'

// wrk takes less than half of our generator's processor time per answer, so the server limits the rate (ADR 050).

const run = promisify(execFile)

export type Round = { rate: number; cpuMicroseconds: number }
type Target = { name: string; server: Server; path: string }
type Printed = { answers: number; seconds: number; bytes: number; failed: number; p50: number; p99: number }

export const hasWrk = (): Promise<boolean> =>
  run('wrk', ['--version']).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  )

export async function measureByWrk(
  bench: Bench,
  benchmark: string,
  targets: Target[],
  cookies: string[],
  findings: Findings,
): Promise<Map<string, Round[]>> {
  const file = join(bench.folder, 'cookies.txt')
  await writeFile(file, cookies.join('\n'))
  const rounds = new Map<string, (Round & Printed)[]>(targets.map(({ name }) => [name, []]))
  const seconds = Math.ceil(bench.seconds)
  const count = bench.quick ? 1 : 2 * bench.rounds + 1
  for (let round = -1; round < count; round += 1) {
    for (const { name, server, path } of targets) {
      const url = `http://127.0.0.1:${server.port}${path}`
      const length = await measureLength(url, cookies[0] ?? '')
      const cpu = await server.cpuSeconds()
      const script = join(root, 'bench/src/wrk.lua')
      const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url, '--', file])
      const printed = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Printed
      const { answers } = printed
      // All answers have one length, so another sum shows a wrong one. The last answer of each connection may be incomplete.
      const isWrong = printed.failed > 0 || Math.abs(printed.bytes - answers * length) > connections * length
      if (isWrong) findings.wrong.push(`${benchmark}, ${name}: ${answers} answers of ${length} bytes, but ${stdout}`)
      const cpuMicroseconds = (((await server.cpuSeconds()) - cpu) / answers) * 1e6
      if (round >= 0) rounds.get(name)?.push({ ...printed, rate: answers / printed.seconds, cpuMicroseconds })
    }
  }
  for (const [name, measured] of rounds) {
    const show = (field: 'p50' | 'p99') => median(measured.map((round) => round[field])).toFixed(2)
    const rate = formatInteger(median(measured.map((round) => round.rate)))
    const cpu = formatInteger(median(measured.map((round) => round.cpuMicroseconds)))
    const line = `| ${benchmark} | ${name} | ${rate} | ${show('p50')} | ${show('p99')} | ${cpu} | |`
    findings.notes.push(line)
    bench.say(line)
  }
  return rounds
}

export function compareRounds(upper: Round[], lower: Round[], field: keyof Round): { ratio: number; spread: string } {
  const ratios = upper.map((round, index) => round[field] / (lower[index]?.[field] ?? Number.NaN))
  return { ratio: median(ratios), spread: `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}` }
}

const connections = 32

async function measureLength(url: string, cookie: string): Promise<number> {
  const response = await fetch(url, { headers: { cookie } })
  const body = await response.arrayBuffer()
  const head = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.byteLength(`HTTP/1.1 ${response.status} ${response.statusText}\r\n${head}\r\n`) + body.byteLength
}
