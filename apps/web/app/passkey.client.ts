import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  WebAuthnError,
} from '@simplewebauthn/browser'

// Only this file uses @simplewebauthn/browser. Pages load it when a ceremony starts, so that they stay light.

/** A `sign-in` lets the person pick the account; an `authentication` asks for the account that is known; a `confirmation` signs given options. */
export type Ceremony = 'sign-in' | 'authentication' | 'registration' | 'confirmation'

export type PasskeyProblem = 'canceled' | 'registered' | 'unsupported' | 'unverified' | 'stale' | 'expired' | 'failed'

/** `answer` is the JSON that the service verifies. */
export type CeremonyResult = { answer: string } | { problem: PasskeyProblem }

export type CeremonyOptions = {
  ceremony: Ceremony
  /** The token of an emailed link, instead of a session. */
  link?: string | undefined
  /** Of a confirmation: its challenge is the hash of the transaction, so that none may be fetched instead. */
  given?: unknown
  signal: AbortSignal
}

type Receive = (result: CeremonyResult) => void

/** A challenge lives five minutes. */
const challengeRenewal = 4 * 60 * 1000

/** Calls `receive` once, and not after the signal. */
export async function runCeremony(options: CeremonyOptions, receive: Receive): Promise<void> {
  const result = await run(options, false)
  if (!options.signal.aborted) receive(result)
}

/** Offers passkeys in the autofill list of the field with `webauthn`. Calls `receive` when the person picks one, or none. */
export async function offerInAutofill(options: CeremonyOptions, receive: Receive): Promise<void> {
  if (!(await window.PublicKeyCredential?.isConditionalMediationAvailable?.())) return
  const { signal } = options
  const offer = async () => {
    const result = await run(options, true)
    if (!signal.aborted) receive(result)
  }
  const timer = setInterval(offer, challengeRenewal)
  signal.addEventListener('abort', () => clearInterval(timer))
  if (signal.aborted) clearInterval(timer)
  else await offer()
}

/** A new ceremony cancels the previous one: browsers run one at a time. */
async function run({ ceremony, link, given, signal }: CeremonyOptions, autofill: boolean): Promise<CeremonyResult> {
  if (!browserSupportsWebAuthn()) return { problem: 'unsupported' }
  const options = ceremony === 'confirmation' ? { body: given } : await fetchOptions(ceremony, link, signal)
  if ('problem' in options) return options
  if (signal.aborted) return { problem: 'canceled' }
  const abort = () => WebAuthnAbortService.cancelCeremony()
  signal.addEventListener('abort', abort)
  try {
    const answer = await (ceremony === 'registration'
      ? startRegistration({ optionsJSON: options.body as Parameters<typeof startRegistration>[0]['optionsJSON'] })
      : startAuthentication({
          optionsJSON: options.body as Parameters<typeof startAuthentication>[0]['optionsJSON'],
          useBrowserAutofill: autofill,
        }))
    return { answer: JSON.stringify({ ...answer, clientExtensionResults: undefined }) }
  } catch (error) {
    return describeProblem(error)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

type FetchedCeremony = Exclude<Ceremony, 'confirmation'>

const paths: Record<FetchedCeremony, string> = {
  'sign-in': '/auth/passkey/generate-authenticate-options?discoverable=true',
  authentication: '/auth/passkey/generate-authenticate-options',
  registration: '/auth/passkey/generate-register-options',
}

async function fetchOptions(
  ceremony: FetchedCeremony,
  link: string | undefined,
  signal: AbortSignal,
): Promise<{ body: unknown } | { problem: PasskeyProblem }> {
  const query = link === undefined ? '' : `?${new URLSearchParams({ context: link })}`
  try {
    const response = await fetch(paths[ceremony] + query, { signal })
    const body: unknown = await response.json()
    if (response.ok) return { body }
    return { problem: refusals[(body as { code?: string }).code ?? ''] ?? 'failed' }
  } catch {
    return { problem: 'failed' }
  }
}

const refusals: Record<string, PasskeyProblem> = {
  SESSION_NOT_FRESH: 'stale',
  UNAUTHORIZED: 'stale',
  INVALID_TOKEN: 'expired',
  TOKEN_EXPIRED: 'expired',
}

const problems: Partial<Record<WebAuthnError['code'], PasskeyProblem>> = {
  ERROR_CEREMONY_ABORTED: 'canceled',
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'registered',
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT: 'unverified',
  ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT: 'unsupported',
  ERROR_AUTHENTICATOR_NO_SUPPORTED_PUBKEYCREDPARAMS_ALG: 'unsupported',
}

function describeProblem(error: unknown): { problem: PasskeyProblem } {
  if (!(error instanceof WebAuthnError)) return { problem: 'failed' }
  // Browsers say this when the person cancels, waits too long, or has no passkey for the account.
  if (error.name === 'NotAllowedError') return { problem: 'canceled' }
  return { problem: problems[error.code] ?? 'failed' }
}
