import { type Browser, outcome } from '@floorpass/testing/browser'
import { callbackResult, followToCallback, linkAt, signInAt, urlOf, userIn } from '@floorpass/testing/social-flow'
import { beforeEach, describe, expect, test } from 'vitest'
import { app, differs, google, readSession } from './suite.ts'

let people = 0
/** Sets a new person as the one signed in at Google. */
function setPerson(fields: object = {}) {
  people += 1
  google.person = { sub: `c-${people}`, email: `google-${people}@example.test`, email_verified: true, name: 'Gina', ...fields }
  return google.person as { sub: string; email: string }
}
beforeEach(() => void setPerson())

type Account = { id: string; providerId: string; accountId: string; scopes: string[] }
const list = async (tab: Pick<Browser, 'get'>) => (await tab.get('/auth/list-accounts')).body as Account[]
const unlink = (tab: Pick<Browser, 'post'>, account?: Account) => tab.post('/auth/unlink-account', { accountId: account?.id })

/** A user with a password and two identities at Google. */
async function linked() {
  const tab = await app.signedIn()
  for (const _ of [1, 2]) {
    setPerson()
    expect((await linkAt(app, 'google', tab, { callbackURL: '/callback' })).headers.get('location')).toBe('/callback')
  }
  return tab
}

describe('linked accounts (routes/account)', () => {
  test('are the password at first, and several identities of one provider later', async () => {
    const tab = await app.signedIn()
    expect(await list(tab)).toMatchObject([{ providerId: 'credential', accountId: tab.userId, scopes: [] }])
    const accounts = await list(await linked())
    expect(accounts.map(({ providerId }) => providerId)).toEqual(['credential', 'google', 'google'])
    expect(new Set(accounts.map(({ accountId }) => accountId)).size).toBe(3)
  })

  test('are unlinked one row at a time', async () => {
    const tab = await linked()
    const [, first, second] = await list(tab)
    expect((await unlink(tab, first)).body).toEqual({ status: true })
    expect((await list(tab)).map(({ id }) => id)).not.toContain(first?.id)
    expect((await list(tab)).map(({ id }) => id)).toContain(second?.id)
  })

  test('always leave one way to sign in', async () => {
    const tab = await app.signedIn()
    const [password] = await list(tab)
    expect(outcome(await unlink(tab, password))).toEqual([400, 'FAILED_TO_UNLINK_LAST_ACCOUNT'])
  })

  test('are never unlinked by another user', async () => {
    const [owner, other] = [await linked(), await linked()]
    const [, identity] = await list(owner)
    expect(outcome(await unlink(other, identity))).toEqual([400, 'ACCOUNT_NOT_FOUND'])
    expect(await list(owner)).toHaveLength(3)
  })

  differs(
    'Tokens of a provider (`get-access-token`, `refresh-token`, `account-info`)',
    'give no token of the provider',
    async () => {
      const tab = await linked()
      const [, identity] = await list(tab)
      expect(JSON.stringify(await list(tab))).not.toMatch(/token/i)
      for (const path of ['get-access-token', 'refresh-token'])
        expect((await tab.post(`/auth/${path}`, { accountId: identity?.id })).status).toBe(404)
      for (const browser of [tab, app.browser()]) expect((await browser.get('/auth/account-info')).status).toBe(404)
    },
  )
})

const linker = await app.signedIn()
const starts: Record<string, (fields: object) => Promise<Awaited<ReturnType<Browser['post']>>>> = {
  'sign-in/social': async (fields) => app.browser().post('/auth/sign-in/social', { provider: 'google', ...fields }),
  'link-social': async (fields) => linker.post('/auth/link-social', { provider: 'google', ...fields }),
}

describe.each(Object.entries(starts))('starting %s (routes/account, social)', (_, start) => {
  test('returns the address of the provider, which leads back to our callback', async () => {
    const answer = await start({ callbackURL: '/callback', newUserCallbackURL: '/welcome' })
    expect(answer.body).toMatchObject({ url: expect.stringContaining(google.issuer), redirect: true })
    expect(urlOf(answer).searchParams.get('redirect_uri')).toBe(`${app.baseUrl}/auth/callback/google`)
  })

  test('passes scopes, a hint and parameters on', async () => {
    const fields = {
      scopes: ['drive.readonly'],
      loginHint: 'user@example.test',
      additionalParams: { access_type: 'offline', hd: 'x' },
    }
    const { searchParams } = urlOf(await start(fields))
    expect(searchParams.get('scope')).toContain('drive.readonly')
    expect(['login_hint', 'access_type', 'hd'].map((name) => searchParams.get(name))).toEqual([
      'user@example.test',
      'offline',
      'x',
    ])
  })

  test.each(['state', 'redirect_uri', 'client_id'])('refuses the parameter %s', async (name) => {
    expect((await start({ additionalParams: { [name]: 'https://evil.test' } })).status).toBe(400)
  })

  test.each([
    ['callbackURL', 'INVALID_CALLBACK_URL'],
    ['errorCallbackURL', 'INVALID_ERROR_CALLBACK_URL'],
    ['newUserCallbackURL', 'INVALID_NEW_USER_CALLBACK_URL'],
  ])('refuses a foreign %s', async (name, code) => {
    expect(outcome(await start({ [name]: 'https://evil.test/callback' }))).toEqual([403, code])
  })

  differs('Sign-in with an `idToken` in the body', 'takes no idToken', async () => {
    expect(outcome(await start({ idToken: { token: 'x' } }))).toEqual([404, 'ID_TOKEN_NOT_SUPPORTED'])
  })

  differs('`include_granted_scopes` at Google', 'asks for no scopes of earlier consents', async () => {
    expect(urlOf(await start({})).searchParams.get('include_granted_scopes')).toBeNull()
    const asked = await start({ additionalParams: { include_granted_scopes: 'true' } })
    expect(urlOf(asked).searchParams.get('include_granted_scopes')).toBe('true')
  })
})

describe('a sign-in at a provider (social, oauth2/link-account)', () => {
  const targets = { callbackURL: '/dashboard', newUserCallbackURL: '/welcome' }

  test('leads a new user to the welcome page, and a known one back', async () => {
    const first = await signInAt(app, 'google', app.browser(), targets)
    expect(callbackResult(first)).toEqual([302, '/welcome'])
    expect(await readSession(first.tab)).not.toBeNull()
    expect(callbackResult(await signInAt(app, 'google', app.browser(), targets))).toEqual([302, '/dashboard'])
  })

  test('cannot be finished without its state', async () => {
    const { status, headers } = await app.browser().get('/auth/callback/google?code=test')
    expect([status, headers.get('location')]).toEqual([302, expect.stringContaining('error=state_not_found')])
  })

  test('cannot be finished in another browser, and leads to the page for errors', async () => {
    const back = await followToCallback(app, app.browser(), 'google', {
      callbackURL: '/callback',
      errorCallbackURL: '/oauth-error',
    })
    const { status, headers } = await app.browser().get(back)
    expect([status, headers.get('location')]).toEqual([302, '/oauth-error?error=state_mismatch'])
  })

  test('joins a verified account with the same verified address in any case, and keeps its name', async () => {
    const tab = await app.signedIn()
    setPerson({ email: tab.person.email.toUpperCase(), name: 'Another name' })
    const answer = await signInAt(app, 'google')
    expect(await userIn(answer.tab)).toMatchObject({ id: tab.userId, emailVerified: true, name: tab.person.name })
    expect(await list(tab)).toHaveLength(2)
  })

  test('needs an address of the provider', async () => {
    setPerson({ email: undefined })
    expect((await signInAt(app, 'google')).headers.get('location')).toContain('error=email_not_found')
  })

  test('finds its user by the identity, whatever the address is later', async () => {
    const { sub } = setPerson()
    const user = await userIn((await signInAt(app, 'google')).tab)
    setPerson({ sub })
    expect(await userIn((await signInAt(app, 'google')).tab)).toMatchObject({ id: user?.id, email: user?.email })
  })

  test('cannot be steered by data in the request', async () => {
    const additionalData = {
      codeVerifier: 'x',
      callbackURL: 'https://evil.test',
      errorURL: 'https://evil.test',
      link: { userId: 'x' },
    }
    const answer = await signInAt(app, 'google', app.browser(), { ...targets, additionalData })
    expect(callbackResult(answer)).toEqual([302, '/welcome'])
  })

  differs('A provider says the address is unverified', 'needs an address that the provider verified', async () => {
    const owner = await app.verified()
    for (const email of [owner.email, app.person().email]) {
      setPerson({ email, email_verified: false })
      expect((await signInAt(app, 'google')).headers.get('location')).toContain('error=email_not_verified')
    }
    expect(await app.db.account.count({ where: { accountId: google.person?.sub ?? '' } })).toBe(0)
  })

  differs(
    'A provider verifies the address of an unverified sign-up',
    'takes the address of an unverified sign-up over',
    async () => {
      const squatter = await app.signUp()
      setPerson({ email: squatter.email })
      const { tab } = await signInAt(app, 'google')
      expect(await userIn(tab)).toMatchObject({ email: squatter.email, emailVerified: true })
      expect((await app.browser().post('/auth/sign-in/email', squatter)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
      expect((await list(tab)).map(({ providerId }) => providerId)).toEqual(['google'])
    },
  )

  differs("Must a linked identity have the account's address", 'links an identity with another address', async () => {
    expect(await list(await linked())).toHaveLength(3)
  })
})
