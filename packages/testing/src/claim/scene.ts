import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort, type Mailbox, mailedToken, outboxOf, type SteppedService, startSteppedService } from '@floorpass/reliability'
import { generateSync } from 'otplib'
import { toPem } from '../api-keys.ts'
import { createAssertion, createRegistration, signInWithPasskey } from '../passkeys.ts'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '../software-authenticator.ts'
import { createTab, expectOk, readAnswer, type Tab, type Target } from './tab.ts'
import { startWithdrawalService, type WithdrawalService } from './withdrawal-service.ts'

export const day = 86_400
const ownersAge = 40 * day
/** A passkey must be a day old to confirm a key that withdraws. */
const passkeyWait = 2 * day

export type Order = { amount: string; currency: string; address: string }

/** The address that the owner uses. */
export const ownAddress = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
export const thiefAddress = 'bc1q5shngj24323nsrmxv99st02na6srekfctt30ch'
export const order: Order = { amount: '2500.00', currency: 'EUR', address: ownAddress }

export type Owner = {
  email: string
  password: string
  totpSecret: string
  authenticator: SoftwareAuthenticator
  passkeyId: string
  bearerKey: { id: string; key: string }
  signingKey: { id: string; privateKey: KeyObject }
}

export type Scene = {
  service: SteppedService
  withdrawals: WithdrawalService
  target: Target
  dataDir: string
  authSecret: string
  serviceKey: string
  mailbox: Mailbox
  /** Their passkeys are 40 days old. */
  owners: Owner[]
  close(): Promise<void>
}

type Options = { folder: string; owners: number; port?: number; databaseUrl?: string | undefined }

export async function openScene({ folder, owners: count, port, databaseUrl }: Options): Promise<Scene> {
  const ports = port === undefined ? await Promise.all([freePort(), freePort()]) : [port, port + 1]
  const [own = 0, other = 0] = ports
  const target = { url: `http://127.0.0.1:${own}`, origin: `http://localhost:${own}` }
  const authSecret = randomBytes(32).toString('base64url')
  const serviceKey = randomBytes(32).toString('base64url')
  const environment = {
    PORT: String(own),
    BASE_URL: target.origin,
    DATA_DIR: folder,
    AUTH_SECRET: authSecret,
    SERVICE_KEYS: serviceKey,
    TOKEN_AUDIENCES: `http://127.0.0.1:${other}`,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'warn',
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  }
  const service = await startSteppedService(folder, environment, -ownersAge)
  const withdrawals = await startWithdrawalService({ port: other, floorpass: target, serviceKey, now: service.now })
  const mailbox = outboxOf(folder)
  const place = { service, target, mailbox }
  const signedUp = await Promise.all(Array.from({ length: count }, (_, index) => signUpOwner(place, index)))
  await service.step(passkeyWait)
  const owners = await Promise.all(signedUp.map((owner) => equipOwner(place, owner)))
  await awaitMails(mailbox, owners)
  await service.step(ownersAge - passkeyWait)
  return {
    service,
    withdrawals,
    target,
    dataDir: folder,
    authSecret,
    serviceKey,
    mailbox,
    owners,
    async close() {
      withdrawals.close()
      await service.end('SIGTERM')
    },
  }
}

type Place = Pick<Scene, 'service' | 'target' | 'mailbox'>

type SignedUp = Pick<Owner, 'email' | 'password' | 'authenticator' | 'passkeyId'>

async function signUpOwner({ target, mailbox }: Place, index: number): Promise<SignedUp> {
  const tab = createTab(target)
  const email = `owner-${randomBytes(6).toString('hex')}@example.test`
  const password = `plum kettle orbit ${index}`
  expectOk(await tab.post('/auth/sign-up/email', { name: `Ada ${index}`, email, password }), 'sign-up')
  const token = await mailedToken(mailbox, email, 'verify-email')
  expectOk(await tab.post('/auth/verify-email', { token }), 'verify-email')
  expectOk(await tab.post('/auth/sign-in/email', { email, password }), 'sign-in')
  expectOk(await tab.post('/auth/allow-list/add', { kind: 'bitcoin', value: ownAddress, label: 'Wallet' }), 'allow-list/add')
  expectOk(await tab.post('/auth/allow-list/set-enabled', { enabled: true }), 'allow-list/set-enabled')
  expectOk(await tab.post('/auth/protection/set-phrase', { phrase: 'Blue heron at dawn' }), 'set-phrase')
  const authenticator = createSoftwareAuthenticator()
  const response = await createRegistration(tab, authenticator, { origin: target.origin })
  const { id: passkeyId } = expectOk<{ id: string }>(await tab.post('/auth/passkey/verify-registration', { response }), 'passkey')
  return { email, password, authenticator, passkeyId }
}

/** Adds API keys and an authenticator app. */
async function equipOwner({ service, target }: Place, owner: SignedUp): Promise<Owner> {
  const { password, authenticator } = owner
  const tab = await signInAsOwner({ target }, owner)
  const createKey = async (fields: object) => {
    const passkey = await assertOn(tab, authenticator)
    const permissions = { account: ['read'], order: ['read'], withdrawal: ['create'] }
    const body = { name: 'Bot', permissions, passkey, ...fields }
    return expectOk<{ id: string; key: string }>(await tab.post('/auth/api-key/create', body), 'api-key/create')
  }
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const bearerKey = await createKey({})
  const { id } = await createKey({ publicKey: toPem(publicKey) })
  const { totpURI } = expectOk<{ totpURI: string }>(await tab.post('/auth/two-factor/enable', { password }), 'two-factor/enable')
  const totpSecret = new URL(totpURI).searchParams.get('secret') ?? ''
  expectOk(await tab.post('/auth/two-factor/verify', { code: codeAt(totpSecret, service.now()) }), 'two-factor/verify')
  return { ...owner, totpSecret, bearerKey, signingKey: { id, privateKey } }
}

const codeAt = (secret: string, time: number): string => generateSync({ secret, epoch: Math.floor(time / 1000) })

const usedPeriods = new Map<string, number>()

/** Returns an unused code. Steps the clock when the code of this period is used. */
export async function nextCode({ service }: Pick<Scene, 'service'>, secret: string): Promise<string> {
  const period = () => Math.floor(service.now() / 30_000)
  if (period() <= (usedPeriods.get(secret) ?? 0)) await service.step(30)
  usedPeriods.set(secret, period())
  return codeAt(secret, service.now())
}

export async function signInWithCode(scene: Scene, { email, password, totpSecret }: Omit<Owner, 'authenticator'>): Promise<Tab> {
  const tab = createTab(scene.target)
  expectOk(await tab.post('/auth/sign-in/email', { email, password }), 'sign-in')
  expectOk(await tab.post('/auth/two-factor/verify', { code: await nextCode(scene, totpSecret) }), 'two-factor/verify')
  return tab
}

/** The owner opens a session with the passkey. */
export async function signInAsOwner(
  { target }: Pick<Scene, 'target'>,
  { authenticator }: Pick<Owner, 'authenticator'>,
): Promise<Tab> {
  const tab = createTab(target)
  expectOk(await signInWithPasskey(tab, authenticator, { origin: target.origin }), 'sign-in with the passkey')
  return tab
}

export const assertOn = (tab: Tab, authenticator: SoftwareAuthenticator) =>
  createAssertion(tab, authenticator, { origin: tab.target.origin })

/** A thief with a fresh session and both factors adds a passkey. */
export async function addThiefPasskey(tab: Tab): Promise<SoftwareAuthenticator> {
  const authenticator = createSoftwareAuthenticator()
  const response = await createRegistration(tab, authenticator, { origin: tab.target.origin })
  expectOk(await tab.post('/auth/passkey/verify-registration', { response }), 'passkey/verify-registration')
  return authenticator
}

export type Started = {
  id: string
  confirmation: { id: string; options: { challenge: string; rpId: string; allowCredentials: { id: string }[] } }
}

export const askForWithdrawal = (scene: Scene, tab: Tab, given: Order = order, headers: Record<string, string> = {}) =>
  createTab({ url: scene.withdrawals.url, origin: scene.target.origin }, tab.cookies).post('/withdrawals', given, { headers })

export const startWithdrawal = async (scene: Scene, tab: Tab, given?: Order): Promise<Started> =>
  expectOk<Started>(await askForWithdrawal(scene, tab, given), 'withdrawal')

export const approve = (tab: Tab, { confirmation: { id, options } }: Started, authenticator: SoftwareAuthenticator) =>
  tab.post('/auth/confirmation/approve', { id, response: authenticator.authenticate(options, { origin: tab.target.origin }) })

export const pay = async ({ withdrawals: { url } }: Scene, { id }: Pick<Started, 'id'>, receipt: string) =>
  readAnswer(await fetch(`${url}/withdrawals/${id}/pay`, { method: 'POST', body: JSON.stringify({ receipt }) }))

/** The owner withdraws as usual. The service pays and pins the passkey. Returns the receipt. */
export async function withdraw(
  scene: Scene,
  tab: Tab,
  authenticator: SoftwareAuthenticator,
): Promise<{ started: Started; receipt: string }> {
  const started = await startWithdrawal(scene, tab)
  const { receipt } = expectOk<{ receipt: string }>(await approve(tab, started, authenticator), 'approve')
  expectOk(await pay(scene, started, receipt), 'pay')
  return { started, receipt }
}

export const getHoldEnd = async (tab: Tab): Promise<number> => {
  const { hold } = expectOk<{ hold: { until: string | null } }>(await tab.get('/auth/protection/get'), 'protection/get')
  if (hold.until === null) throw new Error('there is no hold')
  return Date.parse(hold.until)
}

/** Runs the change and returns the token of the link in the mail about it. Earlier mails may have such a link too. */
export async function linkOf(
  { mailbox }: Pick<Scene, 'mailbox'>,
  email: string,
  page: string,
  change: () => Promise<unknown>,
): Promise<string> {
  const { length } = await mailbox.tokens(email, page)
  await change()
  return mailedToken(mailbox, email, page, length + 1)
}

export const panicLinkOf = (scene: Pick<Scene, 'mailbox'>, email: string, change: () => Promise<unknown>): Promise<string> =>
  linkOf(scene, email, 'panic', change)

/** The owner sets another password by a link in the mailbox. */
export async function resetPassword(scene: Scene, email: string, newPassword: string): Promise<void> {
  const tab = createTab(scene.target)
  const token = await linkOf(scene, email, 'reset-password', async () =>
    expectOk(await tab.post('/auth/forget-password', { email }), 'forget-password'),
  )
  expectOk(await tab.post('/auth/reset-password', { token, newPassword }), 'reset-password')
}

/** Waits for the mails of the set-up, so that later mails are recognized. */
async function awaitMails(mailbox: Mailbox, owners: readonly Owner[]): Promise<void> {
  const count = async () => (await Promise.all(owners.map(({ email }) => mailbox.tokens(email, 'panic')))).flat().length
  for (let last = -1, now = await count(); now !== last; now = await count()) {
    last = now
    await delay(500)
  }
}
