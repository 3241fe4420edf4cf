import { Prisma } from '@floorpass/db'
import { toCanonicalRanges } from '../api-key-checks/ip-allowlist.ts'
import { AppError, type ErrorKey } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { serverOnlyFields } from './contract.ts'

const { nameLength, shortest, longest, metadata: largestMetadata } = policy.apiKeys

/** What better-auth refuses from a client. SERVER_ONLY_PROPERTY, UNAUTHORIZED_SESSION. */
export function assertNoServerField(input: Record<string, unknown>): void {
  if ('userId' in input) throw new AppError('UNAUTHORIZED_SESSION')
  if (serverOnlyFields.some((field) => input[field] !== undefined)) throw new AppError('SERVER_ONLY_PROPERTY')
}

export const assertLength = (text: string | undefined, refusal: ErrorKey): void => {
  if (text !== undefined && (text.length < 1 || text.length > nameLength)) throw new AppError(refusal)
}

/** A person can only give rights that they have. INSUFFICIENT_SCOPE. */
export function assertOwnScopes({ user }: ActiveSession, scopes: readonly string[]): void {
  if (user.tradingEnabled || !scopes.includes('order:place')) return
  throw new AppError('INSUFFICIENT_SCOPE', {
    message: 'Trading is off for your account. Turn it on before you let an API key place orders.',
  })
}

type GivenFields = {
  name?: string | undefined
  expiresIn?: number | null | undefined
  metadata?: unknown
  ipAllowlist?: string[] | undefined
}

/** The columns of the fields that were given. INVALID_NAME_LENGTH, EXPIRES_IN_IS_TOO_SMALL or _LARGE, INVALID_METADATA_TYPE. */
export function toColumns({ name, expiresIn, metadata, ipAllowlist }: GivenFields) {
  assertLength(name, 'INVALID_NAME_LENGTH')
  return {
    ...(name !== undefined && { name }),
    ...(expiresIn !== undefined && { expiresAt: toExpiry(expiresIn) }),
    ...(metadata !== undefined && { metadata: toMetadata(metadata) }),
    ...(ipAllowlist !== undefined && { ipAllowlist: toCanonicalRanges(ipAllowlist) }),
  }
}

function toExpiry(expiresIn: number | null): Date | null {
  if (expiresIn === null) return null
  if (expiresIn < shortest) throw new AppError('EXPIRES_IN_IS_TOO_SMALL')
  if (expiresIn > longest) throw new AppError('EXPIRES_IN_IS_TOO_LARGE')
  return new Date(Date.now() + expiresIn * 1000)
}

function toMetadata(metadata: unknown): Prisma.InputJsonObject | typeof Prisma.DbNull {
  if (metadata === null) return Prisma.DbNull
  if (typeof metadata !== 'object' || Array.isArray(metadata)) throw new AppError('INVALID_METADATA_TYPE')
  if (Buffer.byteLength(JSON.stringify(metadata)) > largestMetadata) {
    throw new AppError('VALIDATION_ERROR', { message: `[body.metadata] Too large: at most ${largestMetadata} bytes of JSON` })
  }
  return metadata as Prisma.InputJsonObject
}
