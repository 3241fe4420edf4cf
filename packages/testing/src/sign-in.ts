import { switchOnTwoFactor } from './authenticator.ts'
import type { Browser, RequestOptions } from './browser.ts'
import type { HeldClock } from './clock.ts'
import type { TestApp } from './create-test-app.ts'

type Credentials = { email?: unknown; password?: unknown; name?: string; rememberMe?: boolean; callbackURL?: string }

/** Signs in with a password, in a new browser unless `tab` is given. Returns the answer and the browser. */
export async function signIn(
  app: Pick<TestApp, 'browser'>,
  { name: _, ...fields }: Credentials,
  { tab = app.browser(), ...options }: RequestOptions & { tab?: Browser } = {},
) {
  return Object.assign(await tab.post('/auth/sign-in/email', fields, options), { tab })
}

/** Signs in up to the second factor, which the browser is then asked for. */
export async function beginSignIn(app: Pick<TestApp, 'browser'>, person: Credentials): Promise<Browser> {
  const { tab, body } = await signIn(app, person)
  if (!(body as { twoFactorRedirect?: boolean }).twoFactorRedirect)
    throw new Error(`expected a question for the second factor, got ${JSON.stringify(body)}`)
  return tab
}

/** Signs a new person in and enables two-factor. A held clock then moves on, so that `authenticator.code()` is unused. */
export async function signInWithFactor<Clock extends HeldClock | undefined>(app: TestApp, clock?: Clock) {
  const tab = await app.signedIn()
  const { person, userId } = tab
  const { authenticator, backupCodes } = await switchOnTwoFactor(tab, person.password)
  clock?.advance(30)
  return { tab, authenticator, backupCodes, person, userId, clock: clock as Clock }
}
