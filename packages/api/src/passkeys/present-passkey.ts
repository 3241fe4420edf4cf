import type { Passkey } from '@floorpass/db'
import { findAuthenticatorName } from './authenticator-name.ts'

/** better-auth's fields, and ours: `lastUsedAt`, `authenticator`. */
export const presentPasskey = (passkey: Passkey) => ({
  id: passkey.id,
  name: passkey.name,
  publicKey: Buffer.from(passkey.publicKey).toString('base64'),
  userId: passkey.userId,
  credentialID: passkey.credentialId,
  counter: Number(passkey.counter),
  deviceType: passkey.isSyncable ? ('multiDevice' as const) : ('singleDevice' as const),
  backedUp: passkey.backedUp,
  transports: passkey.transports.join(','),
  createdAt: passkey.createdAt,
  aaguid: passkey.aaguid,
  lastUsedAt: passkey.lastUsedAt,
  authenticator: findAuthenticatorName(passkey.aaguid),
})
