import { randomBytes, randomUUIDv7 } from 'node:crypto'
import type { Transaction } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { toLocale } from '../kernel/locale.ts'
import { policy } from '../kernel/policy.ts'
import type { CreateConfirmation } from './contract.ts'
import { describeDetails } from './display.ts'
import { findPasskeyRequest } from './passkey-request.ts'
import { writeTransaction } from './transaction-challenge.ts'

/** INVALID_AUDIENCE; VALIDATION_ERROR for a `type` that no detail has. */
export function assertConfirmable(
  { settings }: Context,
  { type, authorization_details: details, audience }: CreateConfirmation,
): void {
  if (!settings.tokenAudiences.includes(audience)) throw new AppError('INVALID_AUDIENCE')
  if (type !== undefined && !details.some((detail) => detail.type === type))
    throw new AppError('VALIDATION_ERROR', { message: '[body.type] No authorization detail has this type' })
}

type Subject = { userId: string; sessionHandle: string; createdBy: string | null }

/** Inserts a confirmation and returns what the page shows. Lock the user first. */
export async function insertConfirmation(
  ctx: Context,
  tx: Transaction,
  { userId, sessionHandle, createdBy }: Subject,
  { authorization_details: details, type = details[0]?.type ?? '', audience, ttl }: CreateConfirmation,
) {
  await dropOldestPending(tx, userId)
  const createdAt = new Date()
  const exp = Math.floor(createdAt.getTime() / 1000) + ttl
  const nonce = randomBytes(32).toString('base64url')
  const confirmation = await tx.confirmation.create({
    data: {
      id: randomUUIDv7(),
      userId,
      sessionHandle,
      type,
      canonical: writeTransaction({ authorization_details: details, sub: userId, sid: sessionHandle, nonce, exp }),
      audience,
      createdBy,
      createdAt,
      expiresAt: new Date(exp * 1000),
    },
  })
  // The caller may be a service.
  const { locale } = await tx.user.findUniqueOrThrow({ where: { id: userId }, select: { locale: true } })
  return {
    id: confirmation.id,
    display: describeDetails(details, toLocale(locale)),
    options: await findPasskeyRequest(ctx, tx, confirmation),
    expiresAt: confirmation.expiresAt,
    url: `${ctx.settings.baseUrl}/confirm?id=${confirmation.id}`,
  }
}

/** Keeps the newest: the user is waiting for it. */
async function dropOldestPending(tx: Transaction, userId: string): Promise<void> {
  await tx.$queryRaw`
    DELETE FROM confirmations WHERE id IN (
      SELECT id FROM confirmations
      WHERE user_id = ${userId} AND approved_at IS NULL AND rejected_at IS NULL AND expires_at > ${new Date()}
      ORDER BY id DESC OFFSET ${policy.confirmations.perUser - 1})`
}
