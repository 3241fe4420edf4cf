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
  | 'create-passkey'
  | 'panic'
  | 'passkey-registration'
  | 'passkey-authentication'

type NewToken = {
  purpose: TokenPurpose
  userId: string | null
  email: string | null
  lifetime: number
  sealPayload?: ((place: SealedPlace) => string) | null
}

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

/** Of concurrent uses, exactly one succeeds. No index can serve the CASE: PostgreSQL looks by the hash. Throws INVALID_TOKEN or TOKEN_EXPIRED. */
export async function consumeOneTimeToken(tx: Transaction, purpose: TokenPurpose, token: string): Promise<Verification> {
  const now = new Date()
  const [row] = await tx.$queryRaw<Verification[]>`
    UPDATE verifications SET used_at = ${now}
    WHERE secret_hash = ${hashToken(token)} AND used_at IS NULL
      AND CASE WHEN purpose = ${purpose} AND expires_at > ${now} THEN true ELSE false END
    RETURNING id, purpose, secret_hash AS "secretHash", user_id AS "userId", email, payload_sealed AS "payloadSealed", attempts,
              created_at AS "createdAt", expires_at AS "expiresAt", used_at AS "usedAt"`
  if (row) return row
  await findValidToken(tx, purpose, token)
  throw new AppError('INVALID_TOKEN')
}

/** Does not consume the token. Throws INVALID_TOKEN or TOKEN_EXPIRED. */
export async function findOneTimeToken(
  db: Transaction,
  purpose: TokenPurpose,
  token: string,
): Promise<Verification & { user: User }> {
  const found = await findValidToken(db, purpose, token)
  const user = found.userId === null ? null : await db.user.findUnique({ where: { id: found.userId } })
  if (!user) throw new AppError('INVALID_TOKEN')
  return { ...found, user }
}

/** Looks by the hash alone: with more conditions, PostgreSQL sometimes reads all tokens of the purpose instead. */
async function findValidToken(db: Transaction, purpose: TokenPurpose, token: string): Promise<Verification> {
  const found = await db.verification.findUnique({ where: { secretHash: hashToken(token) } })
  if (found?.purpose !== purpose) throw new AppError('INVALID_TOKEN')
  if (found.expiresAt <= new Date()) throw new AppError('TOKEN_EXPIRED')
  if (found.usedAt !== null) throw new AppError('INVALID_TOKEN')
  return found
}

export async function voidOneTimeTokens(tx: Transaction, userId: string, purposes: readonly TokenPurpose[]): Promise<void> {
  await tx.verification.deleteMany({ where: { userId, purpose: { in: [...purposes] }, usedAt: null } })
}

/** Throws INVALID_TOKEN for a payload of another row or a retired secret. */
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
