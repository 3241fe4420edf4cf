import { randomUUID } from 'node:crypto'
import { CheckFailure } from './attempt.ts'
import type { Check } from './smoke-tests.ts'

type Ask = (path: string, init?: RequestInit) => Promise<Response>

const post = (body: unknown, origin: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', origin },
  body: JSON.stringify(body),
})

/** The rules that keep strangers out, asked of the edge itself as a browser would. Writes nothing. */
export const checkAuth = (ask: Ask, origin: string, cookieName: string): Check[] => {
  // No account can have this address: .invalid is reserved (RFC 2606).
  const stranger = () => ({ email: `${randomUUID()}@smoke-tests.invalid`, password: randomUUID() })
  const refuses = async (path: string, init: RequestInit, expected: string) => {
    const response = await ask(path, init)
    const { code } = (await response.json()) as { code?: string }
    if (code !== expected) throw new CheckFailure(`It answered ${response.status} ${code ?? 'without a code'}, not ${expected}`)
    return undefined
  }
  return [
    {
      title: 'a caller without a cookie has no session',
      async run() {
        const response = await ask('/auth/get-session')
        if (response.status !== 200 || (await response.json()) !== null) throw new CheckFailure(`It answered ${response.status}`)
        return undefined
      },
    },
    {
      title: 'a sign-in with a wrong password is refused',
      run: () => refuses('/auth/sign-in/email', post(stranger(), origin), 'INVALID_EMAIL_OR_PASSWORD'),
    },
    {
      title: 'a cookie that nobody was given opens nothing',
      run: () => refuses('/auth/list-sessions', { headers: { cookie: `${cookieName}=${randomUUID()}` } }, 'UNAUTHORIZED'),
    },
    {
      title: "another site's page is refused",
      run: () => refuses('/auth/sign-in/email', post(stranger(), 'https://smoke-tests.invalid'), 'INVALID_ORIGIN'),
    },
  ]
}
