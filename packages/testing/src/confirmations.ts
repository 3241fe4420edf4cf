import type { Answer, Browser } from './browser.ts'
import type { TestApp } from './create-test-app.ts'
import { addPasskey } from './passkeys.ts'
import { handleOf, serviceKey } from './route-samples.ts'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from './software-authenticator.ts'

type Deviation = Parameters<SoftwareAuthenticator['authenticate']>[1]

export const confirmationAudience = 'https://api.example.com'

/** Rules of every level. A withdrawal of another amount has no rule. */
export const confirmationEnvironment = {
  SERVICE_KEYS: serviceKey,
  TOKEN_AUDIENCES: confirmationAudience,
  CONFIRMATION_RULES: 'withdrawal<=100 EUR=otp,order=passkey,view=none',
}

export const withdrawal = {
  type: 'withdrawal',
  amount: '2500.00',
  currency: 'EUR',
  payee: { name: 'Grace Hopper', iban: 'DE89370400440532013000' },
}

export type CreatedConfirmation = {
  id: string
  display: { label: string; value: string }[]
  options: { challenge: string; rpId: string; userVerification: string; allowCredentials: { id: string }[] } | null
  expiresAt: string
  url: string
}

export type ReadConfirmation = CreatedConfirmation & {
  status: string
  method: string
  receipt: string | null
  createdBy: string | null
} & Record<string, unknown>

export type Confirmer = Awaited<ReturnType<typeof signInConfirmer>>

/** A signed-in user with a passkey and without the hold that the new passkey starts. */
export async function signInConfirmer(app: TestApp, authenticator = createSoftwareAuthenticator()) {
  const tab = await app.signedIn()
  const { status, body } = await addPasskey(tab, authenticator)
  if (status !== 200) throw new Error(`no passkey: ${status} ${JSON.stringify(body)}`)
  await app.db.user.update({ where: { id: tab.userId }, data: { heldUntil: null } })
  return { tab, authenticator, userId: tab.userId, sessionId: await handleOf(tab) }
}

export const asService = { headers: { authorization: `Bearer ${serviceKey}` } }

/** The path of a route of confirmations. */
export const at = (action: string): string => `/auth/confirmation/${action}`

const expectOk = <Body>({ status, body }: Answer, what: string): Body => {
  if (status !== 200) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`)
  return body as Body
}

/** As the user. Throws when the service refuses it. */
export const createConfirmation = async (
  tab: Pick<Browser, 'post'>,
  detail: Record<string, unknown> = withdrawal,
  fields: Record<string, unknown> = {},
): Promise<CreatedConfirmation> =>
  expectOk(
    await tab.post(at('create'), { authorization_details: [detail], audience: confirmationAudience, ...fields }),
    'not created',
  )

/** The answer of the authenticator to the challenge of a confirmation. */
export function signConfirmation({ options }: CreatedConfirmation, authenticator: SoftwareAuthenticator, deviation?: Deviation) {
  if (!options) throw new Error('no options')
  return authenticator.authenticate(options, deviation)
}

export const approve = (
  { tab, authenticator }: Pick<Confirmer, 'tab' | 'authenticator'>,
  created: CreatedConfirmation,
  deviation?: Deviation,
): Promise<Answer> => tab.post(at('approve'), { id: created.id, response: signConfirmation(created, authenticator, deviation) })

export const readConfirmation = async (tab: Pick<Browser, 'get'>, id: string): Promise<ReadConfirmation> =>
  expectOk(await tab.get(`${at('get')}?id=${id}`), 'not read')

/** A confirmation of a new user that a passkey approved, with its receipt. */
export async function approveNew(
  app: TestApp,
  detail?: Record<string, unknown>,
  fields?: Record<string, unknown>,
  authenticator?: SoftwareAuthenticator,
) {
  const confirmer = await signInConfirmer(app, authenticator)
  const created = await createConfirmation(confirmer.tab, detail, fields)
  const { receipt } = expectOk<{ receipt: string }>(await approve(confirmer, created), 'not approved')
  return { ...confirmer, ...created, receipt }
}

/** As a service that a server calls without cookies. */
export const consume = (app: Pick<TestApp, 'browser'>, jti: string, fields: Record<string, unknown> = {}): Promise<Answer> =>
  app.browser({ origin: null }).post(at('consume'), { jti, ...fields }, asService)
