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
  /** Null before the user is known. */
  userId: string | null
  /** The recipient, to whom the token is bound. Null for a token that stays in the browser. */
  email: string | null
  /** Seconds. */
  lifetime: number
  /** Seals a payload to this row: it does not open in another row. */
  sealPayload?: ((place: SealedPlace) => string) | null
}

/** Returns a new single-use token; stores only its hash. */
export async function issueOneTimeToken(
  tx: Queryable,
  { purpose, userId, email, lifetime, sealPayload = null }: NewToken,
): Promise<string> {
  const token = createToken()
  const secretHash = hashToken(token)
  const payloadSealed = sealPayload?.(getSealedPlace({ purpose, secretHash, userId })) ?? null
  const now = new Date()
  const expiresAt = new Date(now.getTime() + lifetime * 1000)
  await tx.$queryRaw`
    INSERT INTO verifications (id, purpose, secret_hash, user_id, email, payload_sealed, created_at, expires_at)
    VALUES (${randomUUIDv7()}, ${purpose}, ${secretHash}, ${userId}, ${email}, ${payloadSealed}, ${now}, ${expiresAt})`
  return token
}

/** Consumes a token with a conditional UPDATE: of concurrent uses, exactly one succeeds. Throws INVALID_TOKEN or TOKEN_EXPIRED. */
export async function consumeOneTimeToken(tx: Transaction, purpose: TokenPurpose, token: string): Promise<Verification> {
  const secretHash = hashToken(token)
  const now = new Date()
  const [consumed] = await tx.verification.updateManyAndReturn({
    where: { secretHash, purpose, usedAt: null, expiresAt: { gt: now } },
    data: { usedAt: now },
  })
  if (consumed) return consumed
  throw await createTokenError(tx, purpose, secretHash)
}

/** Returns a token's row and user without consuming the token. Throws INVALID_TOKEN or TOKEN_EXPIRED. */
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
  if (!found?.user) throw await createTokenError(db, purpose, secretHash)
  return { ...found, user: found.user }
}

async function createTokenError(db: Transaction, purpose: TokenPurpose, secretHash: string): Promise<AppError> {
  const known = await db.verification.findUnique({ where: { secretHash, purpose } })
  return new AppError(known && known.expiresAt <= new Date() ? 'TOKEN_EXPIRED' : 'INVALID_TOKEN')
}

export async function voidOneTimeTokens(tx: Transaction, userId: string, purposes: readonly TokenPurpose[]): Promise<void> {
  await tx.verification.deleteMany({ where: { userId, purpose: { in: [...purposes] }, usedAt: null } })
}

/** Throws INVALID_TOKEN when the payload was moved from another row, or AUTH_SECRET no longer lists its secret. */
export function openPayload({ secretBox }: { secretBox: SecretBox }, row: Verification): string {
  try {
    return secretBox.open(row.payloadSealed ?? '', getSealedPlace(row))
  } catch (cause) {
    throw new AppError('INVALID_TOKEN', { cause })
  }
}

const getSealedPlace = ({
  purpose,
  secretHash,
  userId,
}: Pick<Verification, 'purpose' | 'secretHash' | 'userId'>): SealedPlace => [
  'verifications.payload_sealed',
  purpose,
  secretHash,
  userId,
]
