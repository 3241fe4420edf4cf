import type { Answer, Browser } from './browser.ts'
import type { TestApp } from './create-test-app.ts'
import { followRedirects } from './follow-redirects.ts'

/** The URL of a provider that a start answered. */
export const urlOf = ({ body }: Answer): URL => new URL((body as { url: string }).url)

/** A start at a provider, through the provider's own pages, up to the way back: path and query of the callback. */
export async function wayBack(app: TestApp, tab: Browser, provider: string, input: object = {}): Promise<string> {
  return followRedirects(urlOf(await tab.post('/auth/sign-in/social', { provider, ...input })).href, app.baseUrl)
}

/** The whole way: the callback's answer. */
export async function signInAt(app: TestApp, provider: string, tab: Browser = app.browser(), input: object = {}) {
  return Object.assign(await tab.get(await wayBack(app, tab, provider, input)), { tab })
}

/** The same for a signed-in person who links. */
export async function linkAt(app: TestApp, provider: string, tab: Browser, input: object = {}): Promise<Answer> {
  const { href } = urlOf(await tab.post('/auth/link-social', { provider, ...input }))
  return tab.get(await followRedirects(href, app.baseUrl))
}

/** Where a callback sends the browser. */
export const landing = ({ status, headers }: Answer): [number, string | null] => [status, headers.get('location')]

/** Who is signed in there. */
export const userIn = async (tab: Browser) =>
  ((await tab.get('/auth/get-session')).body as { user: { id: string; email: string } & Record<string, unknown> } | null)?.user ??
  null
