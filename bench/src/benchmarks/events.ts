import { randomBytes } from 'node:crypto'
import { floorpassCookie, query, sessionsPerUser } from '../data.ts'
import { atMost, type Bench, emptyFindings, type Findings, median, startFloorpassFor, withServers } from '../measure.ts'
import { floorpassSide, type Requests, updateUser } from '../requests.ts'
import { generate, type Server } from '../servers.ts'

const changesPerSecond = 1000
const settings = { SERVICE_KEYS: randomBytes(32).toString('base64url') }

/** Measures the time from the sign-out answer of one process until a stream of another process has the event, beside other changes. */
export async function events(bench: Bench): Promise<Findings> {
  const findings = emptyFindings()
  await withServers([startFloorpassFor(bench, settings), startFloorpassFor(bench, settings)], async (one, other) => {
    await untilCaughtUp(other as Server)
    const arrivals = new Map<string, number>()
    const stream = await openStream(other as Server, arrivals)
    const seconds = bench.quick ? 4 : 20
    const load = generate({
      port: (one as Server).port,
      connections: 32,
      rate: changesPerSecond,
      seconds,
      repeat: true,
      ...renames((one as Server).port),
    })
    const position = () =>
      query(bench.databases.floorpass, 'SELECT position FROM event_feed').then(([row]) => Number(row?.position))
    const [before, answered] = [await position(), new Map<string, number>()]
    const end = performance.now() + seconds * 1000
    for (let index = 0; performance.now() < end; index += 1) {
      const id = await signOut(one as Server, 96_000 + index)
      if (id) answered.set(id, performance.now())
      else findings.wrong.push('events: a sign-out failed')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const { answers, wrong, firstWrong } = await load
    if (wrong > 0) findings.wrong.push(`events: ${wrong} changes failed, the first: ${firstWrong}`)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    stream.close()
    const lags = [...answered]
      .map(([id, at]) => (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - at)
      .sort((left, right) => left - right)
    const rate = Math.round(answers / seconds)
    const eventRate = Math.round(((await position()) - before) / (seconds + 1))
    findings.notes.push(
      `${answered.size} sign-outs beside ${rate} changes and ${eventRate} events a second: median lag ${median(lags).toFixed(0)} ms`,
    )
    bench.say(findings.notes.at(-1) ?? '')
    findings.findings.push(
      atMost(
        `event of a sign-out, beside ${rate} changes a second, p99`,
        lags[Math.floor(lags.length * 0.99)] ?? Number.NaN,
        250,
        'ms',
      ),
    )
  })
  return findings
}

function renames(port: number): Requests {
  const sets = ['One', 'Other'].map((name) => updateUser(floorpassSide, port, name))
  return { requests: sets.flatMap(({ requests }) => requests), expected: sets.flatMap(({ expected }) => expected) }
}

/** The data of the benchmarks left events behind. */
async function untilCaughtUp({ port }: Server): Promise<void> {
  const headers = { authorization: `Bearer ${settings.SERVICE_KEYS}` }
  const url = `http://127.0.0.1:${port}/auth/events?types=user.deleted&since=${new Date().toISOString()}`
  while (!((await (await fetch(url, { headers })).json()) as { caughtUp: boolean }).caughtUp);
}

async function signOut({ port }: Server, user: number): Promise<string | null> {
  const [origin, cookie] = [`http://127.0.0.1:${port}`, floorpassCookie(user * sessionsPerUser + 2)]
  const session = (await (await fetch(`${origin}/auth/get-session`, { headers: { cookie } })).json()) as {
    session: { token: string }
  } | null
  const { ok } = await fetch(`${origin}/auth/sign-out`, { method: 'POST', headers: { cookie, origin } })
  return ok && session ? session.session.token : null
}

async function openStream({ port }: Server, arrivals: Map<string, number>): Promise<{ close(): void }> {
  const closing = new AbortController()
  const since = new Date().toISOString()
  const headers = { authorization: `Bearer ${settings.SERVICE_KEYS}` }
  const { body } = await fetch(`http://127.0.0.1:${port}/auth/events/stream?since=${since}&types=session.ended`, {
    headers,
    signal: closing.signal,
  })
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>)
      for (const [, id = ''] of decoder.decode(chunk, { stream: true }).matchAll(/"sessionId":\s?"([\w-]+)"/g))
        arrivals.set(id, performance.now())
  }
  read().catch(() => {})
  return { close: () => closing.abort() }
}
