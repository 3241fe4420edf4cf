import type { Browser } from './browser.ts'
import type { SoftwareAuthenticator } from './software-authenticator.ts'

type Tab = Pick<Browser, 'get' | 'post'>
type Deviation = Parameters<SoftwareAuthenticator['authenticate']>[1]

const getOptions = async <Options>(tab: Tab, path: string): Promise<Options> => {
  const { status, body } = await tab.get(`/auth/passkey/${path}`)
  if (status !== 200) throw new Error(`expected 200, got ${status} ${JSON.stringify(body)}`)
  return body as Options
}

/** The answer of an authenticator to a registration that this tab starts. */
export const createRegistration = async (tab: Tab, authenticator: SoftwareAuthenticator, deviation?: Deviation) =>
  authenticator.register(await getOptions(tab, 'generate-register-options'), deviation)

export const addPasskey = async (tab: Tab, authenticator: SoftwareAuthenticator, name?: string) =>
  tab.post('/auth/passkey/verify-registration', {
    response: await createRegistration(tab, authenticator),
    ...(name !== undefined && { name }),
  })

/** The answer of an authenticator to an authentication that this tab starts. */
export const createAssertion = async (tab: Tab, authenticator: SoftwareAuthenticator, deviation?: Deviation) =>
  authenticator.authenticate(await getOptions(tab, 'generate-authenticate-options'), deviation)

export const signInWithPasskey = async (tab: Tab, authenticator: SoftwareAuthenticator, deviation?: Deviation) =>
  tab.post('/auth/passkey/verify-authentication', { response: await createAssertion(tab, authenticator, deviation) })
