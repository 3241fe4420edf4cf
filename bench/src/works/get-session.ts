import { floorpassCookie } from '../data.ts'
import {
  atLeast,
  type Bench,
  compete,
  contender,
  type Findings,
  floorpassOf,
  hotFor,
  none,
  quotient,
  withServers,
} from '../measure.ts'
import { betterAuthSide, floorpassSide, getSession, type Side } from '../requests.ts'
import { type Server, startBare, startBetterAuth } from '../servers.ts'

/** The cookies that better-auth's cache gives to each session: what its browsers would send from then on. */
async function cachedSide(bench: Bench, server: Server): Promise<Side> {
  const cookies = new Map<number, string>()
  const waiting = [...hotFor(bench)]
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
  const findings = none()
  const { databases } = bench
  await withServers(
    [floorpassOf(bench), startBetterAuth(databases.betterAuth), startBetterAuth(databases.betterAuth, { cookieCache: true })],
    async (floorpass, betterAuth, cached) => {
      const like = await fetch(`http://127.0.0.1:${floorpass?.port}/auth/get-session`, {
        headers: { cookie: floorpassCookie(0) },
      })
      await withServers([startBare(like)], async (bare) => {
        const ask = (side: Side, port: number) => getSession(side, port, hotFor(bench))
        const measured = await compete(
          bench,
          'get-session',
          [
            contender(floorpassSide, floorpass as Server, ask),
            contender(betterAuthSide, betterAuth as Server, ask),
            contender(await cachedSide(bench, cached as Server), cached as Server, ask),
            contender({ ...floorpassSide, name: 'bare node:http' }, bare as Server, (side, port) => {
              const { requests } = ask(side, port)
              return { requests, expected: requests.map(() => ({ status: 200, body: '"email":"user-0@' })) }
            }),
          ],
          findings,
          { fills: true },
        )
        findings.findings.push(
          atLeast('get-session / better-auth', quotient(measured, 'Floorpass', 'better-auth'), 20),
          atLeast(
            'get-session / better-auth with its cookie cache',
            quotient(measured, 'Floorpass', 'better-auth, cookie cache'),
            12,
          ),
          atLeast('get-session / bare node:http', quotient(measured, 'Floorpass', 'bare node:http'), 0.5),
        )
      })
    },
  )
  return findings
}
