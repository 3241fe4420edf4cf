import type { Api } from '@floorpass/api'
import { readPasskey } from '#app/passkey-field.server.ts'

type OwnerProof = Parameters<Api['twoFactor']['disable']>[0]

/** The passkey, password or code that confirms a two-factor change. */
export const readOwnerProof = (field: (name: string) => string): OwnerProof =>
  field('intent') === 'passkey'
    ? { passkey: readPasskey(field) }
    : Object.fromEntries(['password', 'code'].map((name) => [name, field(name)]).filter(([, value]) => value !== ''))
