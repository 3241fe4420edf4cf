import { findPasskeyWithUser, type Passkey, type Transaction, type User } from '@floorpass/db'
import type { Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { type Mails, sendPasskeyCounter } from '../mail/notifications.ts'
import type { PasskeyAssertion } from './contract.ts'
import { consumePasskeyChallenge, requireRelyingParty } from './passkey-challenge.ts'
import { readChallenge, verifyAssertion } from './webauthn.ts'

export type PasskeyContext = Context & Records<'refuse-passkey'> & Mails<'passkey-counter'>

/** What a refused passkey may record and mail. */
export const passkeyActions = ['refuse-passkey'] as const
export const passkeyMails = ['passkey-counter'] as const

export type VerifiedPasskey = { user: User; method: 'hwk' | 'swk'; userVerified: boolean; addedAt: Date; publicKey: Uint8Array }

/**
 * Uses up the challenge, also when it returns PASSKEY_NOT_FOUND or AUTHENTICATION_FAILED: the caller commits. Lock the user first.
 * Throws CHALLENGE_NOT_FOUND.
 */
export async function verifyPasskey(
  ctx: PasskeyContext,
  tx: Transaction,
  userId: string | null,
  response: PasskeyAssertion,
): Promise<VerifiedPasskey | AppError> {
  requireRelyingParty(ctx)
  const challenge = readChallenge(response)
  const issued = await consumePasskeyChallenge(ctx, tx, 'passkey-authentication', challenge)
  const isForUser = issued.userId === null || issued.userId === userId
  return verifyResponse(ctx, tx, userId, response, { challenge: challenge ?? '', isForUser, isNamed: issued.userId !== null })
}

/** The same for a challenge that the caller stores, for this user. It stays usable. */
export const verifyStoredChallenge = (
  ctx: PasskeyContext,
  tx: Transaction,
  userId: string,
  response: PasskeyAssertion,
  challenge: string,
): Promise<VerifiedPasskey | AppError> => verifyResponse(ctx, tx, userId, response, { challenge, isForUser: true, isNamed: true })

async function verifyResponse(
  ctx: PasskeyContext,
  tx: Transaction,
  userId: string | null,
  response: PasskeyAssertion,
  { challenge, isForUser, isNamed }: { challenge: string; isForUser: boolean; isNamed: boolean },
): Promise<VerifiedPasskey | AppError> {
  const relyingParty = requireRelyingParty(ctx)
  const found = await findPasskeyWithUser(tx, response.id)
  if (!found || found.user.id !== userId) return new AppError('PASSKEY_NOT_FOUND')
  const { user, passkey, handle } = found
  if (!isForUser || !matchesUserHandle(handle, response, isNamed)) return new AppError('AUTHENTICATION_FAILED')
  const assertion = await verifyAssertion(relyingParty, response, challenge, passkey)
  // An authenticator never changes whether a credential may be synced (WebAuthn 7.2).
  if (!assertion || assertion.isSyncable !== passkey.isSyncable) return new AppError('AUTHENTICATION_FAILED')
  if (hasCounterRegressed(passkey, assertion.counter)) {
    await ctx.record(tx, {
      userId,
      action: 'refuse-passkey',
      succeeded: false,
      details: { passkey: passkey.name, reason: 'counter' },
    })
    await sendPasskeyCounter(ctx, tx, user, passkey.name)
    return new AppError('AUTHENTICATION_FAILED')
  }
  const { counter, backedUp, userVerified } = assertion
  await tx.passkey.updateMany({ where: { id: passkey.id }, data: { counter, backedUp, lastUsedAt: new Date() } })
  const { publicKey, createdAt: addedAt } = passkey
  return { user, method: getPasskeyMethod(passkey), userVerified, addedAt, publicKey }
}

/** RFC 8176: a key that stays on its device, or one that software may copy. */
export const getPasskeyMethod = ({ isSyncable }: Pick<Passkey, 'isSyncable'>): 'hwk' | 'swk' => (isSyncable ? 'swk' : 'hwk')

/** A discoverable credential must name its user; one that we named may leave it out (WebAuthn 7.2, step 6). */
function matchesUserHandle(handle: string | null, { response: { userHandle } }: PasskeyAssertion, mayBeAbsent: boolean): boolean {
  return userHandle ? userHandle === handle : mayBeAbsent
}

/** Authenticators without a counter always send 0. */
const hasCounterRegressed = ({ counter }: Pick<Passkey, 'counter'>, sent: bigint): boolean =>
  (sent > 0n || counter > 0n) && sent <= counter

/** A reauthentication needs both factors: the passkey and its user. */
export const checkUserVerification = (passkey: VerifiedPasskey | AppError): VerifiedPasskey | AppError =>
  passkey instanceof AppError || passkey.userVerified ? passkey : new AppError('USER_VERIFICATION_REQUIRED')
