import { floorpassCookie } from '../data.ts'
import {
  atLeast,
  type Bench,
  createContender,
  emptyFindings,
  type Findings,
  formatRatio,
  hotSessionsFor,
  measureContenders,
  rateRatio,
  startFloorpassFor,
  withServers,
} from '../measure.ts'
import { betterAuthSide, floorpassSide, getSession, type Side, verifyCaller } from '../requests.ts'
import { generate, type Server, startBare, startBetterAuth } from '../servers.ts'
import { compareRounds, hasWrk, measureByWrk } from '../wrk.ts'

async function collectCacheCookies(bench: Bench, server: Server): Promise<Side> {
  const cookies = new Map<number, string>()
  const waiting = [...hotSessionsFor(bench)]
  const fill = async () => {
    for (let session = waiting.pop(); session !== undefined; session = waiting.pop()) {
      const cookie = betterAuthSide.cookie?.(session) ?? ''
      const response = await fetch(`http://127.0.0.1:${server.port}/api/auth/get-session`, { headers: { cookie } })
      await response.arrayBuffer()
      const set = response.headers.getSetCookie().map((header) => header.split(';')[0])
      cookies.set(session, [cookie, ...set].join('; '))
    }
  }
  await Promise.all(Array.from({ length: 8 }, fill))
  return { ...betterAuthSide, name: 'better-auth, cookie cache', cookie: (session) => cookies.get(session) ?? '' }
}

export async function getSessionWarm(bench: Bench): Promise<Findings> {
  const findings = emptyFindings()
  const { databases } = bench
  await withServers(
    [
      startFloorpassFor(bench),
      startBetterAuth(databases.betterAuth),
      startBetterAuth(databases.betterAuth, { cookieCache: true }),
    ],
    async (floorpass, betterAuth, cached) => {
      const template = await fetch(`http://127.0.0.1:${floorpass?.port}/auth/get-session`, {
        headers: { cookie: floorpassCookie(0) },
      })
      await withServers([startBare(template)], async (bare) => {
        const ask = (side: Side, port: number) => getSession(side, port, hotSessionsFor(bench))
        const measured = await measureContenders(
          bench,
          'get-session',
          [
            createContender(floorpassSide, floorpass as Server, ask),
            createContender({ ...floorpassSide, name: 'Floorpass, verify' }, floorpass as Server, (side, port) =>
              verifyCaller(side, port, hotSessionsFor(bench)),
            ),
            createContender(betterAuthSide, betterAuth as Server, ask),
            createContender(await collectCacheCookies(bench, cached as Server), cached as Server, ask),
            createContender({ ...floorpassSide, name: 'bare node:http' }, bare as Server, (side, port) => {
              const { requests } = ask(side, port)
              return { requests, expected: requests.map(() => ({ status: 200, body: '"email":"user-0@' })) }
            }),
          ],
          findings,
          { fills: true },
        )
        findings.findings.push(
          atLeast('get-session / better-auth', rateRatio(measured, 'Floorpass', 'better-auth'), 20),
          atLeast(
            'get-session / better-auth with its cookie cache',
            rateRatio(measured, 'Floorpass', 'better-auth, cookie cache'),
            12,
          ),
          atLeast('verify / get-session', rateRatio(measured, 'Floorpass, verify', 'Floorpass'), 0.8),
          atLeast('get-session / bare node:http', rateRatio(measured, 'Floorpass', 'bare node:http'), 0.5),
        )
        await compareByWrk(bench, floorpass as Server, bare as Server, findings)
      })
    },
  )
  return findings
}

async function compareByWrk(bench: Bench, floorpass: Server, bare: Server, findings: Findings): Promise<void> {
  const benchmark = 'get-session / bare node:http, by wrk'
  if (!(await hasWrk())) {
    findings.findings.push({ benchmark, measured: 'wrk is not installed', target: '≥ 0.7 ×', met: null })
    return
  }
  // User numbers of four digits and session numbers of five: all answers have one length.
  const sessions = hotSessionsFor({ ...bench, quick: false }).slice(4_000, bench.quick ? 4_500 : undefined)
  const cookies = sessions.map((session) => floorpassCookie(session))
  const path = `${floorpassSide.base}/get-session`
  await generate({
    port: floorpass.port,
    connections: 32,
    seconds: 60,
    rate: null,
    repeat: false,
    ...getSession(floorpassSide, floorpass.port, sessions),
  })
  const targets = [
    { name: 'Floorpass', server: floorpass, path },
    { name: 'bare node:http', server: bare, path },
  ]
  const rounds = await measureByWrk(bench, 'get-session, by wrk', targets, cookies, findings)
  const [ours = [], bound = []] = targets.map(({ name }) => rounds.get(name))
  const rate = compareRounds(ours, bound, 'rate')
  const cpu = compareRounds(bound, ours, 'cpuMicroseconds')
  findings.findings.push(
    atLeast(benchmark, rate.ratio, 0.7),
    { benchmark: 'the same, lowest and highest of the rounds', measured: rate.spread, target: '', met: null },
    { benchmark: 'the same, by processor time', measured: `${formatRatio(cpu.ratio)} (${cpu.spread})`, target: '', met: null },
  )
}
