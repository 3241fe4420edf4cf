import { generateKeyPairSync } from 'node:crypto'
import { type Authenticator, setUpTwoFactor } from '@floorpass/testing/authenticator'
import { createBrowser, type Browser as Tab } from '@floorpass/testing/browser'
import { eventually } from '@floorpass/testing/eventually'
import { createRegistration } from '@floorpass/testing/passkeys'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'

/**
 * The visitors: signed out; with an organization and several devices; with a second factor; halfway through sign-in; in French;
 * one with a second factor whose sign-in is too old for sensitive acts; one with passkeys; one halfway through sign-in with them;
 * and one whose account a panic link stopped, and who asked to unlock it.
 */
export const visitors = [
  'visitor',
  'member',
  'guarded',
  'challenged',
  'french',
  'returning',
  'keyholder',
  'keyholder-challenged',
  'stopped',
] as const
export type Visitor = (typeof visitors)[number]

export type Cookie = { name: string; value: string }

export type Scene = {
  /** Where the service is. */
  url: string
  cookies: Record<Visitor, Cookie[]>
  password: string
  /** The member's. */
  email: string
  /** The organization of the member. */
  slug: string
  /** An open invitation to the member. */
  invitation: string
  /** A link of each kind that still works, as its path. */
  links: { reset: string; verify: string; createPasskey: string; undo: string; panic: string; panicUsed: string }
}

const password = 'violet tram 74 under the harbour'
export const desk = {
  chrome: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  safari: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_6) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Safari/605.1.15',
  phone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Mobile/15E148 Safari/604.1',
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
}

const people = {
  ada: 'Ada Lovelace',
  grace: 'Grace Hopper',
  jonas: 'Jonas Bergström',
  noor: 'Noor Haddad',
  claire: 'Claire Fontaine',
  katherine: 'Katherine Johnson',
  edith: 'Edith Clarke',
  hedy: 'Hedy Lamarr',
} as const
type Handle = keyof typeof people

export type Address = (handle: string) => string

type Account = { name: string; email: string; password: string }

/** A tab with separate cookies that talks to the running service. */
export const openTab = (url: string, userAgent = desk.chrome): Tab =>
  createBrowser(
    {
      fetch: (request) => {
        request.headers.set('user-agent', userAgent)
        return fetch(request, { redirect: 'manual' })
      },
    },
    url,
  )

/** Signs up over HTTP and follows the mailed link: an account that may sign in. */
export async function createAccount(url: string, account: Account): Promise<void> {
  const tab = openTab(url)
  await must(tab.post('/auth/sign-up/email', account))
  await verifyEmail(tab, url, account.email)
}

async function verifyEmail(tab: Tab, url: string, email: string): Promise<void> {
  const token = new URL(await mailedLink(url, email, '/verify-email')).searchParams.get('token')
  await must(tab.post('/auth/verify-email', { token }))
}

/** Signs in over HTTP. With a second factor the tab waits for a code then. */
export async function signIn(
  url: string,
  { email, password }: Pick<Account, 'email' | 'password'>,
  userAgent?: string,
): Promise<Tab> {
  const tab = openTab(url, userAgent)
  await must(tab.post('/auth/sign-in/email', { email, password, rememberMe: true }))
  return tab
}

export const cookiesOf = (tab: Tab): Cookie[] => [...tab.cookies].map(([name, value]) => ({ name, value }))

/** The link below `path` in the newest mail to this address that has one. Mails leave in the background. */
export async function mailedLink(url: string, email: string, path: string): Promise<string> {
  const seen = new Set<string>()
  return eventually(async () => {
    const list = await (await fetch(`${url}/dev/mailbox`)).text()
    const rows = list.matchAll(/href="(\/dev\/mailbox\/[^"]+)">[^<]*<\/a><\/td><td>([^<]+)</g)
    const mails = [...rows].filter(([, page = '', to]) => to === email && !seen.has(page)).map(([, page = '']) => page)
    for (const mail of mails) {
      const text = await (await fetch(url + mail)).text()
      const link = text.match(new RegExp(`href="(https?://[^"]+${path}\\?[^"]+)"`))?.[1]
      if (link) return link.replaceAll('&amp;', '&')
      seen.add(mail)
    }
    throw new Error(`no mail with a link to ${path} reached ${email}`)
  })
}

const accountOf = (address: Address, handle: Handle | 'guarded'): Account => ({
  name: handle === 'guarded' ? people.ada : people[handle],
  email: address(handle),
  password,
})

/** Creates the accounts of all people in the scene. */
export async function createAccounts(url: string, address: Address): Promise<void> {
  for (const handle of [...(Object.keys(people) as Handle[]), 'guarded'] as const)
    await createAccount(url, accountOf(address, handle))
}

/** Ada's other devices. */
export async function signInElsewhere(url: string, address: Address, devices: readonly (keyof typeof desk)[]): Promise<void> {
  for (const device of devices) await signIn(url, accountOf(address, 'ada'), desk[device])
}

/** Signs in with a second factor, for later: `lag` is by how many seconds the service's clock is behind ours. */
export async function signInEarlier(url: string, email: string, lag: number): Promise<Cookie[]> {
  await createAccount(url, { name: 'Inès Arnaud', email, password })
  const tab = await signIn(url, { email, password })
  const { authenticator } = await setUpTwoFactor(tab, password)
  await must(tab.post('/auth/two-factor/verify', { code: authenticator.code(-lag / 30) }))
  return cookiesOf(tab)
}

type FurnishOptions = {
  /** The short name of the member's organization. */
  slug: string
  /** Of `signInEarlier`. */
  returning?: Cookie[]
  /** By how many seconds the service's clock is behind ours: a multiple of thirty. */
  lag?: number
}

/** Organization, invitations, trading settings, second factor: what the pages show, and the cookies to see them. */
export async function seedScene(
  url: string,
  address: Address,
  { slug, returning = [], lag = 0 }: FurnishOptions,
): Promise<Scene> {
  const [ada, grace, jonas] = await Promise.all(
    (['ada', 'grace', 'jonas'] as const).map((handle) => signIn(url, accountOf(address, handle))),
  )
  if (!ada || !grace || !jonas) throw new Error('no user signed in')
  const invite = async (tab: Tab, organizationId: string, email: string, role: string) =>
    (await must(tab.post('/auth/organization/invite-member', { organizationId, email, role }))) as { id: string }

  const { id } = (await must(ada.post('/auth/organization/create', { name: 'Meridian Rates Desk', slug }))) as { id: string }
  for (const [tab, handle, role] of [
    [grace, 'grace', 'admin'],
    [jonas, 'jonas', 'member'],
  ] as const) {
    const invitation = await invite(ada, id, address(handle), role)
    await must(tab.post('/auth/organization/accept-invitation', { invitationId: invitation.id }))
  }
  await invite(ada, id, address('noor'), 'member')
  const other = (await must(
    grace.post('/auth/organization/create', { name: 'Northgate Research', slug: `${slug}-research` }),
  )) as {
    id: string
  }
  const invitation = await invite(grace, other.id, address('ada'), 'member')
  await must(ada.post('/auth/update-user', { tradingEnabled: true, riskLevel: 'moderate' }))
  await createApiKeys(ada, id)
  await addAddresses(ada)
  await must(ada.post('/auth/forget-password', { email: address('ada') }))
  await must(openTab(url).post('/auth/sign-up/email', { name: 'Edsger', email: address('edsger'), password }))

  await must(openTab(url).post('/auth/sign-up/passkey', { name: 'Margaret Hamilton', email: address('margaret') }))

  const edith = await signIn(url, accountOf(address, 'edith'))
  await must(edith.post('/auth/change-email', { newEmail: address('clarke') }))
  await verifyEmail(edith, url, address('clarke'))

  const claire = await signIn(url, accountOf(address, 'claire'))
  await must(claire.post('/auth/update-user', { locale: 'fr' }))
  const claireInvitation = await invite(ada, id, address('claire'), 'admin')
  await must(claire.post('/auth/organization/accept-invitation', { invitationId: claireInvitation.id }))
  // A new second factor holds the account, which then keeps its list on.
  const unguarded = await signIn(url, accountOf(address, 'guarded'))
  for (const enabled of [true, false]) await must(unguarded.post('/auth/allow-list/set-enabled', { enabled }))
  const { guarded, challenged } = await switchOn(url, accountOf(address, 'guarded'), lag)
  const { keyholder, keyholderChallenged } = await addPasskeys(url, accountOf(address, 'katherine'))
  const katherineInvitation = await invite(ada, id, address('katherine'), 'member')
  await must(keyholder.post('/auth/organization/accept-invitation', { invitationId: katherineInvitation.id }))
  const { stopped, panicUsed } = await stopEverything(url, accountOf(address, 'hedy'))
  const pathOf = async (handle: string, path: string) => {
    const { pathname, search } = new URL(await mailedLink(url, address(handle), path))
    return pathname + search
  }
  return {
    url,
    cookies: {
      visitor: [],
      member: cookiesOf(ada),
      guarded: cookiesOf(guarded),
      challenged: cookiesOf(challenged),
      french: cookiesOf(claire),
      returning,
      keyholder: cookiesOf(keyholder),
      'keyholder-challenged': cookiesOf(keyholderChallenged),
      stopped: cookiesOf(stopped),
    },
    password,
    email: address('ada'),
    slug,
    invitation: invitation.id,
    links: {
      reset: await pathOf('ada', '/reset-password'),
      verify: await pathOf('edsger', '/verify-email'),
      createPasskey: await pathOf('margaret', '/create-passkey'),
      undo: await pathOf('edith', '/undo-email-change'),
      panic: await pathOf('guarded', '/panic'),
      panicUsed,
    },
  }
}

/** Keys of each kind and state: two of the person, and one of the organization. */
async function createApiKeys(tab: Tab, organizationId: string): Promise<void> {
  const days = 24 * 60 * 60
  const create = async (key: Record<string, unknown>) => (await must(tab.post('/auth/api-key/create', key))) as { id: string }
  await create({
    name: 'Market maker',
    permissions: { account: ['read'], order: ['read', 'place', 'cancel'] },
    ipAllowlist: ['203.0.113.7', '198.51.100.0/24'],
    expiresIn: 90 * days,
  })
  const publicKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })
  const { id: keyId } = await create({ name: 'Tax report', permissions: { account: ['read'] }, publicKey })
  await must(tab.post('/auth/api-key/update', { keyId, enabled: false }))
  await create({ name: 'Risk monitor', organizationId, ipAllowlist: ['2001:db8::/64'], expiresIn: 365 * days })
}

/** A list that is on, with a wallet and a bank account. */
async function addAddresses(tab: Tab): Promise<void> {
  const add = (entry: Record<string, unknown>) => must(tab.post('/auth/allow-list/add', entry))
  await add({ kind: 'iban', value: 'DE89 3704 0044 0532 0130 00' })
  await add({ kind: 'bitcoin', value: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', label: 'Cold wallet' })
  await must(tab.post('/auth/allow-list/set-enabled', { enabled: true }))
}

/** The second factor of an account: a device that it trusts, and one that still owes its code. */
async function switchOn(url: string, account: Account, lag: number): Promise<{ guarded: Tab; challenged: Tab }> {
  const first = await signIn(url, account)
  const { authenticator } = await setUpTwoFactor(first, account.password)
  const verify = (tab: Tab, phone: Authenticator, steps: number) =>
    must(tab.post('/auth/two-factor/verify', { code: phone.code(steps - lag / 30), trustDevice: true }))
  await verify(first, authenticator, 0)
  const guarded = await signIn(url, account)
  await verify(guarded, authenticator, 1)
  return { guarded, challenged: await signIn(url, account) }
}

/** A security key and a synced passkey as the second factor: a device that signed in before, and one that still owes its passkey. */
async function addPasskeys(url: string, account: Account): Promise<{ keyholder: Tab; keyholderChallenged: Tab }> {
  const keyholder = await signIn(url, account)
  for (const authenticator of [
    createSoftwareAuthenticator({ aaguid: 'cb69481e-8ff7-4039-93ec-0a2729a154a8' }),
    createSoftwareAuthenticator({ aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd', isSyncable: true }),
  ]) {
    const response = await createRegistration(keyholder, authenticator, { origin: url })
    await must(keyholder.post('/auth/passkey/verify-registration', { response }))
  }
  await must(keyholder.post('/auth/two-factor/enable', { method: 'passkey', password: account.password }))
  return { keyholder, keyholderChallenged: await signIn(url, account) }
}

/** Sets a password by the mailed link, as after a panic link. */
export async function choosePassword(url: string, { email, password }: Pick<Account, 'email' | 'password'>): Promise<void> {
  const tab = openTab(url)
  await must(tab.post('/auth/forget-password', { email }))
  const token = new URL(await mailedLink(url, email, '/reset-password')).searchParams.get('token')
  await must(tab.post('/auth/reset-password', { token, newPassword: password }))
}

/** An account that a panic link stopped, on a device that signed in afterwards and asked to unlock it. */
async function stopEverything(url: string, account: Account): Promise<{ stopped: Tab; panicUsed: string }> {
  const first = await signIn(url, account)
  await must(first.post('/auth/protection/set-phrase', { phrase: 'blue heron at dawn' }))
  await must(first.post('/auth/allow-list/add', { kind: 'bitcoin', value: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' }))
  const { pathname, search, searchParams } = new URL(await mailedLink(url, account.email, '/panic'))
  await must(openTab(url).post('/auth/panic', { token: searchParams.get('token') }))
  await choosePassword(url, account)
  const stopped = await signIn(url, account)
  await must(stopped.post('/auth/protection/request-unlock'))
  return { stopped, panicUsed: pathname + search }
}

async function must(asked: ReturnType<Tab['post']>): Promise<unknown> {
  const { status, body } = await asked
  if (status !== 200) throw new Error(`the scene could not be set: ${status} ${JSON.stringify(body)}`)
  return body
}
