import { randomUUIDv7 } from 'node:crypto'
import type { Queryable, Transaction, User, Verification } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { createToken, hashToken } from '../kernel/random-token.ts'
import type { SealedPlace, SecretBox } from '../kernel/secret-box.ts'

export type TokenPurpose =
  | 'verify-email'
  | 'reset-password'
  | 'change-email'
  | 'undo-email-change'
  | 'delete-account'
  | 'reauthenticate'
  | 'social-sign-in'
  | 'two-factor'

type NewToken = {
  purpose: TokenPurpose
  /** Null while nobody is known. */
  userId: string | null
  /** The address the token is sent to: it is worthless for any other. Null for one that stays in the browser. */
  email: string | null
  /** Seconds. */
  lifetime: number
  /** Seals what the row keeps for the token's use: a payload opens in its own row only. */
  sealPayload?: ((place: SealedPlace) => string) | null
}

/** A new single-use token; only its hash is stored. */
export async function issueOneTimeToken(
  tx: Queryable,
  { purpose, userId, email, lifetime, sealPayload = null }: NewToken,
): Promise<string> {
  const token = createToken()
  const secretHash = hashToken(token)
  const payloadSealed = sealPayload?.(placeOf({ purpose, secretHash, userId })) ?? null
  const now = new Date()
  const expiresAt = new Date(now.getTime() + lifetime * 1000)
  await tx.$queryRaw`
    INSERT INTO verifications (id, purpose, secret_hash, user_id, email, payload_sealed, created_at, expires_at)
    VALUES (${randomUUIDv7()}, ${purpose}, ${secretHash}, ${userId}, ${email}, ${payloadSealed}, ${now}, ${expiresAt})`
  return token
}

/**
 * Uses a token up. One conditional UPDATE decides, so of any number of concurrent uses exactly one gets the row; the others
 * get INVALID_TOKEN, or TOKEN_EXPIRED when it is too late for anybody.
 */
export async function consumeOneTimeToken(tx: Transaction, purpose: TokenPurpose, token: string): Promise<Verification> {
  const secretHash = hashToken(token)
  const now = new Date()
  const [consumed] = await tx.verification.updateManyAndReturn({
    where: { secretHash, purpose, usedAt: null, expiresAt: { gt: now } },
    data: { usedAt: now },
  })
  if (consumed) return consumed
  throw await refusal(tx, purpose, secretHash)
}

/** A token's row and user, without using it up; the same refusals. For rules that must be checked before. */
export async function findOneTimeToken(
  db: Transaction,
  purpose: TokenPurpose,
  token: string,
): Promise<Verification & { user: User }> {
  const secretHash = hashToken(token)
  const found = await db.verification.findUnique({
    where: { secretHash, purpose, usedAt: null, expiresAt: { gt: new Date() } },
    include: { user: true },
  })
  if (!found?.user) throw await refusal(db, purpose, secretHash)
  return { ...found, user: found.user }
}

async function refusal(db: Transaction, purpose: TokenPurpose, secretHash: string): Promise<AppError> {
  const known = await db.verification.findUnique({ where: { secretHash, purpose } })
  return new AppError(known && known.expiresAt <= new Date() ? 'TOKEN_EXPIRED' : 'INVALID_TOKEN')
}

/** Voids a user's outstanding tokens of these purposes. */
export async function voidOneTimeTokens(tx: Transaction, userId: string, purposes: readonly TokenPurpose[]): Promise<void> {
  await tx.verification.deleteMany({ where: { userId, purpose: { in: [...purposes] }, usedAt: null } })
}

/** The payload of a token's row. INVALID_TOKEN when it was moved from another row, or AUTH_SECRET no longer lists its secret. */
export function openPayload({ secretBox }: { secretBox: SecretBox }, row: Verification): string {
  try {
    return secretBox.open(row.payloadSealed ?? '', placeOf(row))
  } catch (cause) {
    throw new AppError('INVALID_TOKEN', { cause })
  }
}

const placeOf = ({ purpose, secretHash, userId }: Pick<Verification, 'purpose' | 'secretHash' | 'userId'>): SealedPlace => [
  'verifications.payload_sealed',
  purpose,
  secretHash,
  userId,
]
