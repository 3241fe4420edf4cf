import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

export type Person = { name: string; email: string; password: string }

/** The URL to call and the Origin header to send. */
export type Target = { url: string; origin: string }

export type Reply = { status: number; body: Record<string, unknown> | null; text: string; headers: Headers }

let people = 0

export function newPerson(prefix = 'ada'): Person {
  people += 1
  return {
    name: 'Ada 0',
    email: `${prefix}-${process.pid}-${people}@example.test`,
    password: `plum kettle orbit ${people}`,
  }
}

/** Sends a request as a browser on `origin` does. Rejects without an answer. */
export async function ask(
  { url, origin }: Target,
  method: 'GET' | 'POST',
  path: string,
  { body, cookie, headers = {} }: { body?: unknown; cookie?: string | undefined; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(method === 'POST' && { origin, 'content-type': 'application/json' }),
      ...(cookie !== undefined && { cookie }),
      ...headers,
    },
    ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    signal: AbortSignal.timeout(60_000),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null }
}

/** The Cookie header that follows from a reply. */
export const cookiesOf = ({ headers }: Reply): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')

export const signUp = (target: Target, person: Person): Promise<Reply> =>
  ask(target, 'POST', '/auth/sign-up/email', { body: person })

export const signIn = (target: Target, { email, password }: Person): Promise<Reply> =>
  ask(target, 'POST', '/auth/sign-in/email', { body: { email, password } })

export type Mailbox = {
  /** The link tokens mailed to an address for a page, oldest first. */
  tokens(address: string, page: string): Promise<string[]>
}

/** The mailbox of a service that writes mails to an outbox in DATA_DIR. Reads each file once. */
export function outboxOf(dataDir: string): Mailbox {
  const known = new Set<string>()
  const textsTo = new Map<string, string[]>()
  const readNew = async () => {
    const names = await readdir(join(dataDir, 'outbox')).catch(() => [])
    for (const name of names.filter((file) => file.endsWith('.json') && !known.has(file)).sort()) {
      const { to, text } = JSON.parse(await readFile(join(dataDir, 'outbox', name), 'utf8')) as { to: string; text: string }
      known.add(name)
      textsTo.set(to, [...(textsTo.get(to) ?? []), text])
    }
  }
  let reading: Promise<void> | undefined
  return {
    async tokens(address, page) {
      reading ??= readNew().finally(() => {
        reading = undefined
      })
      await reading
      return (textsTo.get(address) ?? []).flatMap((text) => new RegExp(`/${page}\\?token=([\\w-]+)`).exec(text)?.[1] ?? [])
    },
  }
}

/** Waits for `count` mails and resolves to the newest token. */
export async function mailedToken(mailbox: Mailbox, address: string, page: string, count = 1): Promise<string> {
  for (const end = Date.now() + 20_000; Date.now() < end; await delay(50)) {
    const tokens = await mailbox.tokens(address, page)
    if (tokens.length >= count) return tokens.at(-1) ?? ''
  }
  throw new Error(`no mail with a link to /${page} arrived at ${address}`)
}

/** Signs up a person, verifies their email and signs in. */
export async function signedInPerson(target: Target | (() => Target), mailbox: Mailbox): Promise<Person & { cookie: string }> {
  const next = typeof target === 'function' ? target : () => target
  const person = newPerson()
  expectOk(await signUp(next(), person))
  const token = await mailedToken(mailbox, person.email, 'verify-email')
  expectOk(await ask(next(), 'POST', '/auth/verify-email', { body: { token } }))
  const signedIn = expectOk(await signIn(next(), person))
  return { ...person, cookie: cookiesOf(signedIn) }
}

export function expectOk(reply: Reply): Reply {
  if (reply.status !== 200) throw new Error(`expected 200, got ${reply.status} ${reply.text.slice(0, 200)}`)
  return reply
}
