import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { floorpassCookie, sessionsPerUser } from '../data.ts'
import {
  atLeast,
  type Bench,
  type Contender,
  emptyFindings,
  type Findings,
  formatInteger,
  measureContenders,
  startFloorpassFor,
  withServers,
} from '../measure.ts'
import { floorpassSide, get, post, type Requests, signIn } from '../requests.ts'
import type { Server } from '../servers.ts'

/** Passkeys need a domain name. */
const origin = 'http://localhost'
const people = 200
const firstUser = 60_000

/** Sign-ins a second by passkey, which take two requests, beside those by password. */
export async function passkeySignInSpeed(bench: Bench): Promise<Findings> {
  const findings = emptyFindings()
  const seconds = bench.quick ? 1 : 4
  const each = bench.quick ? 500 : 6_000
  await withServers([startFloorpassFor(bench, { BASE_URL: origin })], async (service) => {
    const server = service as Server
    const keyholders = await Promise.all(Array.from({ length: people }, (_, index) => addPasskey(server.port, firstUser + index)))
    const rounds: Requests[] = []
    for (let round = -1; round < bench.rounds; round += 1) rounds.push(await createAssertions(server.port, keyholders, each))
    const start: Requests = {
      requests: [get('/auth/passkey/generate-authenticate-options', server.port)],
      expected: [{ status: 200, body: '"challenge":' }],
    }
    const contenders: Contender[] = [
      { name: 'passkey, start', server, requests: () => start },
      { name: 'passkey, verify', server, requests: (round) => rounds[round + 1] ?? start },
      {
        name: 'password',
        server,
        requests: (round) => signIn(floorpassSide, server.port, 20_000 + (round + 1) * 2_000, 2_000, origin),
      },
    ]
    const options = { seconds, connections: 16, repeat: false }
    const [begin, verify, password] = contenders
    const measured = await measureContenders(bench, 'sign-in', [verify, password] as Contender[], findings, options)
    const started = await measureContenders(bench, 'sign-in', [begin as Contender], findings, { ...options, repeat: true })
    const [startRate, verifyRate, passwordRate] = [
      started.get('passkey, start')?.rate ?? 0,
      measured.get('passkey, verify')?.rate ?? 0,
      measured.get('password')?.rate ?? 0,
    ]
    const rate = 1 / (1 / startRate + 1 / verifyRate)
    findings.notes.push(`| sign-in | passkey, both requests | ${formatInteger(rate)} | | | | |`)
    findings.findings.push(atLeast('sign-in, passkey / password', rate / passwordRate, 2))
  })
  return findings
}

type Keyholder = { email: string; authenticator: ReturnType<typeof createSoftwareAuthenticator> }

async function addPasskey(port: number, user: number): Promise<Keyholder> {
  const authenticator = createSoftwareAuthenticator()
  const session = floorpassCookie(user * sessionsPerUser)
  const { body, cookie } = await ask(port, 'generate-register-options', session)
  const response = await fetch(`http://127.0.0.1:${port}/auth/passkey/verify-registration`, {
    method: 'POST',
    headers: { origin, cookie: `${session}; ${cookie}`, 'content-type': 'application/json' },
    body: JSON.stringify({ response: authenticator.register(body as Options, { origin }) }),
  })
  if (!response.ok) throw new Error(`a passkey was not added: ${response.status} ${await response.text()}`)
  return { email: `user-${user}@example.com`, authenticator }
}

async function createAssertions(port: number, keyholders: readonly Keyholder[], count: number): Promise<Requests> {
  const made: { request: string; email: string }[] = []
  const work = async () => {
    while (made.length < count) {
      const { body, cookie } = await ask(port, 'generate-authenticate-options')
      const { email, authenticator } = keyholders[made.length % keyholders.length] as Keyholder
      const response = authenticator.authenticate(body as Options, { origin, counter: 0 })
      made.push({ request: post('/auth/passkey/verify-authentication', port, { response }, cookie, origin), email })
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  return {
    requests: made.map(({ request }) => request),
    expected: made.map(({ email }) => ({ status: 200, body: `"email":"${email}"` })),
  }
}

type Options = Parameters<Keyholder['authenticator']['register']>[0]

/** Returns the options of a ceremony and the cookie of its browser. */
async function ask(port: number, path: string, cookie = ''): Promise<{ body: unknown; cookie: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/auth/passkey/${path}`, { headers: { cookie } })
  return { body: await response.json(), cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
}
