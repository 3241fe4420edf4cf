import { readFileSync } from 'node:fs'
import type { Answer } from '@floorpass/testing/browser'
import { closeAfterFile } from '@floorpass/testing/close-after-file'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { startOpenIdProvider } from '@floorpass/testing/openid-provider'
import { expect, test } from 'vitest'

export const google = await startOpenIdProvider('http://localhost:3000/auth/callback/google')
closeAfterFile(google.close)

/** The origin of an application that is trusted beside our pages. */
export const trusted = 'https://trade.example.test'
export const app = await createTestApp({ ...google.environment, TRUSTED_ORIGINS: trusted })

const gaps = readFileSync(new URL('../../../../../../docs/gaps.md', import.meta.url), 'utf8')
const questions = [...gaps.matchAll(/^\| (.+?) \|/gm)].map(([, question]) => question)

/** A case that we answer otherwise on purpose. `question` is its row in docs/gaps.md. */
export function differs(question: string, title: string, run: () => Promise<void>): void {
  test(`unlike better-auth, ${title}`, async () => {
    expect(questions.filter((known) => known === question)).toEqual([question])
    await run()
  })
}

type Tab = { get(path: string): Promise<Answer> }
export type Session = { id: string; token: string; userId: string; expiresAt: string; activeOrganizationId: string | null }
export type User = { id: string; email: string; name: string; image: string | null } & Record<string, unknown>

export const readSession = async (tab: Tab): Promise<{ session: Session & Record<string, unknown>; user: User } | null> =>
  (await tab.get('/auth/get-session')).body as never

export const signIn = async (person: { email: string; password: string }, fields: object = {}) => {
  const tab = app.browser()
  const answer = await tab.post('/auth/sign-in/email', { email: person.email, password: person.password, ...fields })
  return Object.assign(answer, { tab })
}

export const newPassword = 'violet harbor ladder'
const minute = 60_000

/** Moves the last sign-in of this user's sessions before the time in which they are fresh. */
export const makeStale = (userId: string) =>
  app.db.session.updateMany({ where: { userId }, data: { createdAt: new Date(Date.now() - 16 * minute) } })
