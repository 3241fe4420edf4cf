import type { Answer, Browser } from './browser.ts'
import type { TestApp } from './create-test-app.ts'
import { followRedirects } from './follow-redirects.ts'

/** The provider URL in the answer of a social sign-in. */
export const urlOf = ({ body }: Answer): URL => new URL((body as { url: string }).url)

/** Starts a sign-in and completes it at the provider. Returns the path and query of the callback. */
export async function followToCallback(app: TestApp, tab: Browser, provider: string, input: object = {}): Promise<string> {
  return followRedirects(urlOf(await tab.post('/auth/sign-in/social', { provider, ...input })).href, app.baseUrl)
}

/** Signs in at the provider. Returns the answer of the callback. */
export async function signInAt(app: TestApp, provider: string, tab: Browser = app.browser(), input: object = {}) {
  return Object.assign(await tab.get(await followToCallback(app, tab, provider, input)), { tab })
}

/** Links the provider to a signed-in user. Returns the answer of the callback. */
export async function linkAt(app: TestApp, provider: string, tab: Browser, input: object = {}): Promise<Answer> {
  const { href } = urlOf(await tab.post('/auth/link-social', { provider, ...input }))
  return tab.get(await followRedirects(href, app.baseUrl))
}

/** The status and redirect target of a callback. */
export const callbackResult = ({ status, headers }: Answer): [number, string | null] => [status, headers.get('location')]

/** The signed-in user, or null. */
export const userIn = async (tab: Browser) =>
  ((await tab.get('/auth/get-session')).body as { user: { id: string; email: string } & Record<string, unknown> } | null)?.user ??
  null
