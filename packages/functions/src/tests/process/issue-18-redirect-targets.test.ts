import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { type Answer, type Browser, createBrowser } from '@floorpass/testing/browser'
import { eventually } from '@floorpass/testing/eventually'
import { databaseEnvironment, startServer, temporaryFolder } from '@floorpass/testing/server-process'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { describe, expect, test } from 'vitest'

const dataDir = await temporaryFolder()
const front = 'https://app.example.test'
const environment = { ...(await databaseEnvironment()), DATA_DIR: dataDir, RATE_LIMIT: 'off', TRUSTED_ORIGINS: front }
const server = await startServer(environment)
const own = `http://localhost:${server.port}`
const password = 'plum kettle orbit'
const trusted = `${front}/orders?tab=open#top`

const openBrowser = () => createBrowser({ fetch: (request) => fetch(request, { redirect: 'manual' }) }, own)

const send = (browser: Browser, path: string, fields: Record<string, string>): Promise<Answer> =>
  browser.request('POST', path, {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

/** The newest link to `page` that was mailed to this address. */
const mailedLink = (email: string, page: string): Promise<URL> =>
  eventually(async () => {
    const files = (await readdir(`${dataDir}/outbox`)).filter((file) => file.endsWith('.json')).sort()
    const mails = await Promise.all(files.map((file) => readFile(`${dataDir}/outbox/${file}`, 'utf8')))
    const links = mails
      .map((text) => JSON.parse(text) as { to: string; text: string })
      .filter(({ to }) => to === email)
      .flatMap(({ text }) => text.match(/http:\S+/g) ?? [])
      .filter((link) => new URL(link).pathname === page)
    const newest = links.at(-1)
    return newest === undefined ? Promise.reject(new Error(`no link to ${page}`)) : new URL(newest)
  })

async function signUp(callbackURL?: string): Promise<{ email: string; browser: Browser }> {
  const email = `ada-${randomUUID()}@example.test`
  const browser = openBrowser()
  expect((await browser.post('/auth/sign-up/email', { name: 'Ada', email, password, callbackURL })).status).toBe(200)
  return { email, browser }
}

async function signedIn(): Promise<{ email: string; browser: Browser }> {
  const { email, browser } = await signUp()
  await browser.post('/auth/verify-email', { token: (await mailedLink(email, '/verify-email')).searchParams.get('token') })
  await submitPassword(browser, email)
  return { email, browser }
}

const submitPassword = (browser: Browser, email: string) => browser.post('/auth/sign-in/email', { email, password })

const [ada, dan] = await Promise.all([signedIn(), signedIn()])
const { backupCodes } = await switchOnTwoFactor(dan.browser, password)

/** A browser that has entered the password of a user with a second factor. */
async function challenged(): Promise<Browser> {
  const browser = openBrowser()
  await submitPassword(browser, dan.email)
  return browser
}

type Query = `?${string}`

/** Every page that takes a target. `go` ends in a redirect to it, or null where the page only links to it. */
const pages: { file: string; what: string; instead: string | null; go: (query: Query, target: string) => Promise<Answer> }[] = [
  { file: '_auth.login.tsx', what: 'the sign-in page', instead: null, go: (query) => openBrowser().get(`/login${query}`) },
  {
    file: '_auth.login.tsx',
    what: 'the sign-in page, signed in',
    instead: '/dashboard',
    go: (query) => ada.browser.get(`/login${query}`),
  },
  {
    file: '_auth.login.tsx',
    what: 'the sign-in form',
    instead: '/dashboard',
    go: (query) => send(openBrowser(), `/login${query}`, { email: ada.email, password }),
  },
  {
    file: '_app.admin_.confirm.tsx',
    what: 'the proof of an administrator',
    instead: null,
    go: (query) => ada.browser.get(`/admin/confirm${query}`),
  },
  { file: '_auth.signup.tsx', what: 'the sign-up page', instead: null, go: (query) => openBrowser().get(`/signup${query}`) },
  {
    file: '_auth.signup.tsx',
    what: 'the sign-up page, signed in',
    instead: '/dashboard',
    go: (query) => ada.browser.get(`/signup${query}`),
  },
  {
    file: '_auth.forgot-password.tsx',
    what: 'the page for a reset link',
    instead: null,
    go: (query) => openBrowser().get(`/forgot-password${query}`),
  },
  {
    file: '_auth.reset-password.tsx',
    what: 'the reset page',
    instead: null,
    go: (query) => openBrowser().get(`/reset-password${query}`),
  },
  {
    file: '_auth.verify-email.tsx',
    what: 'the verification page',
    instead: null,
    go: (query) => openBrowser().get(`/verify-email${query}`),
  },
  {
    file: '_auth.verify-email.tsx',
    what: 'the button of a changed address',
    instead: '/settings/email?notice=changed',
    go: async (query) => {
      const newEmail = `ada-${randomUUID()}@example.test`
      await ada.browser.post('/auth/change-email', { newEmail })
      const link = await mailedLink(newEmail, '/verify-email')
      const answer = await send(ada.browser, `/verify-email${query}`, { token: link.searchParams.get('token') ?? '' })
      ada.email = newEmail
      return answer
    },
  },
  {
    file: '_auth.create-passkey.tsx',
    what: 'the page that creates the first passkey',
    instead: null,
    go: (query) => openBrowser().get(`/create-passkey${query}&token=any`),
  },
  {
    file: '_auth.create-passkey.tsx',
    what: 'the button that creates the first passkey',
    instead: '/dashboard',
    go: async (query) => {
      const email = `ada-${randomUUID()}@example.test`
      const browser = openBrowser()
      await browser.post('/auth/sign-up/passkey', { name: 'Ada', email })
      const token = (await mailedLink(email, '/create-passkey')).searchParams.get('token') ?? ''
      const { body } = await browser.get(`/auth/passkey/generate-register-options?context=${token}`)
      const passkey = JSON.stringify(createSoftwareAuthenticator().register(body as never, { origin: own }))
      return send(browser, `/create-passkey${query}`, { token, passkey })
    },
  },
  {
    file: '_auth.two-factor.tsx',
    what: 'the page for a code',
    instead: null,
    go: async (query) => (await challenged()).get(`/two-factor${query}`),
  },
  {
    file: '_auth.two-factor.tsx',
    what: 'the page for a code, signed in',
    instead: '/dashboard',
    go: (query) => ada.browser.get(`/two-factor${query}`),
  },
  {
    file: '_auth.two-factor.tsx',
    what: 'the form for a code',
    instead: '/dashboard',
    go: async (query) => send(await challenged(), `/two-factor${query}&with=backup-code`, { code: backupCodes.pop() ?? '' }),
  },
  {
    file: '_app.reauthenticate.tsx',
    what: 'the reauthentication page',
    instead: '/dashboard',
    go: (query) => ada.browser.get(`/reauthenticate${query}`),
  },
  {
    file: '_app.reauthenticate.tsx',
    what: 'the reauthentication form',
    instead: '/dashboard',
    go: (query) => send(ada.browser, `/reauthenticate${query}`, { intent: 'password', password }),
  },
  {
    file: '_app.delete-account.tsx',
    what: 'the page that deletes',
    instead: null,
    go: (query) => ada.browser.get(`/delete-account${query}&token=any`),
  },
  {
    file: '_app.delete-account.tsx',
    what: 'the button that deletes',
    instead: '/?notice=account-deleted',
    go: async (query) => {
      const eve = await signedIn()
      await eve.browser.post('/auth/delete-user')
      const link = await mailedLink(eve.email, '/delete-account')
      return send(eve.browser, `/delete-account${query}`, { token: link.searchParams.get('token') ?? '' })
    },
  },
  {
    file: 'language.tsx',
    what: 'the language switch',
    instead: '/',
    go: (_, redirectTo) => send(openBrowser(), '/language', { locale: 'fr', redirectTo }),
  },
  {
    file: 'active-organization.tsx',
    what: 'the choice of an organization',
    instead: '/dashboard',
    go: async (_, redirectTo) => send((await signedIn()).browser, '/active-organization', { organizationId: '', redirectTo }),
  },
  {
    file: 'theme.tsx',
    what: 'the theme switch',
    instead: '/',
    go: (_, redirectTo) => send(openBrowser(), '/theme', { theme: 'dark', redirectTo }),
  },
]

const hostile = [
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  'https:evil.example',
  '/%2f/evil.example',
  `${front}.evil.example/`,
  `${front}@evil.example/`,
  'http://app.example.test/evil',
  'javascript:alert(evil)',
]

const queries = (target: string): Query[] =>
  ['redirectTo', 'callbackURL'].map((name): Query => `?${new URLSearchParams({ [name]: target })}`)

/** Where the answer sends the person: its redirect, or the addresses that its page offers. */
const leadsTo = ({ headers, body }: Answer): string[] => {
  const location = headers.get('location')
  if (location !== null) return [location]
  return [...String(body).matchAll(/(?:href|action)="([^"]*)"/g)].map(([, address = '']) => address.replaceAll('&amp;', '&'))
}

describe('a page that takes a target', () => {
  test('is in the table below', async () => {
    const folder = fileURLToPath(new URL('../../../../../apps/web/app/routes/', import.meta.url))
    const files = await readdir(folder)
    const taking = await Promise.all(
      files.map(async (file) => /\bredirectTo\b.*\}\) =>|findTarget/.test(await readFile(`${folder}${file}`, 'utf8')) && file),
    )
    // The sign-out only hands its target to the sign-in page. A confirmation adds to its target: the test below.
    const others = ['logout.tsx', '_app.confirm.tsx']
    expect(taking.filter((file) => file && !others.includes(file)).sort()).toEqual(
      [...new Set(pages.map(({ file }) => file))].sort(),
    )
  })

  test('T65: a rejected confirmation goes back to a trusted target alone, and says which one it was', async () => {
    const reject = async (target: string) => {
      const fields = { authorization_details: [{ type: 'withdrawal', amount: '1.00', currency: 'EUR' }], audience: own }
      const { body } = await ada.browser.post('/auth/confirmation/create', fields)
      const { id } = body as { id: string }
      const query = new URLSearchParams({ id, callbackURL: target })
      return { id, answer: await send(ada.browser, `/confirm?${query}`, { intent: 'reject' }) }
    }
    const { id, answer } = await reject(trusted)
    const location = new URL(answer.headers.get('location') ?? '')
    expect([answer.status, location.origin, location.hash]).toEqual([302, front, '#top'])
    expect(Object.fromEntries(location.searchParams)).toEqual({ tab: 'open', confirmation: id, status: 'rejected' })
    for (const target of hostile) {
      const { answer } = await reject(target)
      const origins = leadsTo(answer).map((address) => new URL(address, own).origin)
      expect([target, origins.filter((origin) => origin !== own)]).toEqual([target, []])
    }
  })

  test.each(pages)('follows a trusted target: $what', async ({ go, instead }) => {
    for (const query of queries(trusted).slice(0, 1)) {
      const answer = await go(query, trusted)
      const policy = answer.headers.get('content-security-policy') ?? ''
      if (instead === null) {
        expect(leadsTo(answer)).toContainEqual(expect.stringContaining(`redirectTo=${encodeURIComponent(trusted)}`))
        expect(policy).toContain(`form-action 'self' ${front};`)
      } else expect([answer.status, answer.headers.get('location')]).toEqual([302, trusted])
    }
  })

  test.each(pages)('T65: ignores a hostile target: $what', async ({ what, go, instead }) => {
    const isCostly = what === 'the form for a code' || what === 'the button that deletes'
    for (const target of isCostly ? hostile.slice(0, 3) : hostile) {
      for (const query of isCostly ? queries(target).slice(0, 1) : queries(target)) {
        const answer = await go(query, target)
        if (instead !== null) expect([query, answer.status, answer.headers.get('location')]).toEqual([query, 302, instead])
        for (const address of leadsTo(answer))
          expect([query, address]).toEqual([query, expect.not.stringMatching(/evil|javascript:/)])
        expect(answer.headers.get('content-security-policy')).not.toContain('evil')
      }
    }
  })
})

describe('a trusted target outside', () => {
  const openLink = (browser: Browser, { pathname, search }: URL) => browser.get(pathname + search)
  const tokenOf = (link: URL) => link.searchParams.get('token') ?? ''

  test('survives the verification page, a new verification email and the sign-in page', async () => {
    const { email, browser } = await signUp(trusted)
    const first = await mailedLink(email, '/verify-email')
    expect(first.searchParams.get('callbackURL')).toBe(trusted)
    const page = `/verify-email?redirectTo=${encodeURIComponent(trusted)}`
    expect(leadsTo(await openLink(browser, first))).toContain(page)
    expect((await send(browser, page, { intent: 'send', email })).status).toBe(200)
    const second = await eventually(async () => {
      const link = await mailedLink(email, '/verify-email')
      return tokenOf(link) === tokenOf(first) ? Promise.reject(new Error('only the first')) : link
    })
    expect(second.searchParams.get('callbackURL')).toBe(trusted)
    const verified = await send(browser, page, { intent: 'confirm', token: tokenOf(second) })
    const login = `/login?notice=verified&${new URLSearchParams({ redirectTo: trusted })}`
    expect(verified.headers.get('location')).toBe(login)
    expect((await send(browser, login, { email, password })).headers.get('location')).toBe(trusted)
  })

  test('survives a sign-up with an address that has an account', async () => {
    await openBrowser().post('/auth/sign-up/email', { name: 'Ada', email: dan.email, password, callbackURL: trusted })
    for (const page of ['/login', '/forgot-password'])
      expect((await mailedLink(dan.email, page)).searchParams.get('redirectTo')).toBe(trusted)
  })

  test('survives the reset of a forgotten password', async () => {
    const { email } = await signedIn()
    const browser = openBrowser()
    await send(browser, `/forgot-password?redirectTo=${encodeURIComponent(trusted)}`, { email })
    const location = (await openLink(browser, await mailedLink(email, '/auth/reset-password'))).headers.get('location') ?? ''
    const page = new URL(location, own)
    expect([page.pathname, page.searchParams.get('redirectTo')]).toEqual(['/reset-password', trusted])
    expect(leadsTo(await browser.get(location))).toContain(`/reset-password?redirectTo=${encodeURIComponent(trusted)}`)
    const newPassword = 'violet harbor ladder'
    const done = await send(browser, `/reset-password${page.search}`, { token: tokenOf(page), newPassword })
    expect(done.headers.get('location')).toBe(`/login?notice=password-reset&redirectTo=${encodeURIComponent(trusted)}`)
    // The page explains a used link, and the way to a new one keeps the target.
    const used = await openLink(browser, await mailedLink(email, '/auth/reset-password'))
    const dead = await browser.get(used.headers.get('location') ?? '')
    expect(String(dead.body)).toContain('role="alert"')
    expect(leadsTo(dead)).toContain(`/forgot-password?redirectTo=${encodeURIComponent(trusted)}`)
  })

  test('survives the code of the second factor, and a sign-in that took too long', async () => {
    const browser = openBrowser()
    const login = `/login?redirectTo=${encodeURIComponent(trusted)}`
    const asked = await send(browser, login, { email: dan.email, password })
    const page = `/two-factor?redirectTo=${encodeURIComponent(trusted)}`
    expect(asked.headers.get('location')).toBe(page)
    const late = await openBrowser().get(page)
    expect(late.headers.get('location')).toBe(`/login?ended=code&redirectTo=${encodeURIComponent(trusted)}`)
    const done = await send(browser, `/two-factor?with=backup-code`, { code: backupCodes.pop() ?? '' })
    expect(done.headers.get('location'), 'the challenge holds the target too').toBe(trusted)
  })

  test('is in the emailed links that change the address and delete the account', async () => {
    const { email, browser } = await signedIn()
    const newEmail = `ada-${randomUUID()}@example.test`
    await browser.post('/auth/change-email', { newEmail, callbackURL: trusted })
    expect((await mailedLink(newEmail, '/verify-email')).searchParams.get('callbackURL')).toBe(trusted)
    await browser.post('/auth/delete-user', { callbackURL: trusted })
    expect((await mailedLink(email, '/delete-account')).searchParams.get('callbackURL')).toBe(trusted)
  })

  test('that is too long to be carried on is dropped, and the page still works', async () => {
    const long = `${front}/${'?'.repeat(1000)}`
    const page = await openBrowser().get(`/login?redirectTo=${encodeURIComponent(long)}`)
    expect([page.status, leadsTo(page)]).toEqual([200, expect.arrayContaining(['/login', '/signup'])])
  })
})
