import type { Api } from '@floorpass/api'

type Passkey = Parameters<Api['passkeys']['signIn']>[0]['response'] & Parameters<Api['passkeys']['register']>[0]['response']

/** The answer of the authenticator, as `PasskeyButton` sends it. Not validated: the API does that, also for malformed JSON. */
export function readPasskey(field: (name: string) => string): Passkey {
  try {
    return JSON.parse(field('passkey')) as Passkey
  } catch {
    return undefined as unknown as Passkey
  }
}
