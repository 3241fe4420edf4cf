import type { Passkey, Transaction } from '@floorpass/db'
import { textsIn } from '@floorpass/languages'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { findAuthenticatorName } from './authenticator-name.ts'
import type { RegisterPasskey } from './contract.ts'
import { requireRelyingParty } from './passkey-challenge.ts'
import { readChallenge, verifyRegistration } from './webauthn.ts'

/** Returns FAILED_TO_VERIFY_REGISTRATION, PASSKEY_LIMIT_REACHED or PREVIOUSLY_REGISTERED. Consume the challenge and lock the user first. */
export async function createPasskey(
  ctx: Context,
  tx: Transaction,
  userId: string,
  { response, name }: RegisterPasskey,
): Promise<Passkey | AppError> {
  const credential = await verifyRegistration(requireRelyingParty(ctx), response, readChallenge(response) ?? '')
  if (!credential) return new AppError('FAILED_TO_VERIFY_REGISTRATION')
  const count = await tx.passkey.count({ where: { userId } })
  if (count >= policy.passkeys.perUser) return new AppError('PASSKEY_LIMIT_REACHED')
  const [passkey] = await tx.passkey.createManyAndReturn({
    data: {
      ...credential,
      userId,
      name: name ?? findAuthenticatorName(credential.aaguid) ?? `${textsIn(ctx.client.locale).stored.passkey} ${count + 1}`,
    },
    skipDuplicates: true,
  })
  return passkey ?? new AppError('PREVIOUSLY_REGISTERED')
}
