import { randomUUID } from 'node:crypto'
import { CheckFailure } from './attempt.ts'
import type { Check } from './check.ts'

type Send = (path: string, init?: RequestInit) => Promise<Response>

const post = (body: unknown, origin: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', origin },
  body: JSON.stringify(body),
})

export const checkAuth = (send: Send, origin: string, cookieName: string): Check[] => {
  // No account can have this address: .invalid is reserved (RFC 2606).
  const unknownCredentials = () => ({ email: `${randomUUID()}@smoke-tests.invalid`, password: randomUUID() })
  const assertRefused = async (path: string, init: RequestInit, expected: string) => {
    const response = await send(path, init)
    const { code } = (await response.json()) as { code?: string }
    if (code !== expected) throw new CheckFailure(`It answered ${response.status} ${code ?? 'without a code'}, not ${expected}`)
    return undefined
  }
  return [
    {
      title: 'a caller without a cookie has no session',
      async run() {
        const response = await send('/auth/get-session')
        if (response.status !== 200 || (await response.json()) !== null) throw new CheckFailure(`It answered ${response.status}`)
        return undefined
      },
    },
    {
      title: 'a sign-in with a wrong password is refused',
      run: () => assertRefused('/auth/sign-in/email', post(unknownCredentials(), origin), 'INVALID_EMAIL_OR_PASSWORD'),
    },
    {
      title: 'a forged cookie is refused',
      run: () => assertRefused('/auth/list-sessions', { headers: { cookie: `${cookieName}=${randomUUID()}` } }, 'UNAUTHORIZED'),
    },
    {
      title: "another site's page is refused",
      run: () =>
        assertRefused('/auth/sign-in/email', post(unknownCredentials(), 'https://smoke-tests.invalid'), 'INVALID_ORIGIN'),
    },
  ]
}
