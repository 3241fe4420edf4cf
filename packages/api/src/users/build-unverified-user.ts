import { randomUUIDv7 } from 'node:crypto'
import type { User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { unprotected } from '../kernel/account-protection.ts'

export function buildUnverifiedUser(
  ctx: Context,
  input: { name: string; email: string; image?: string | undefined; riskLevel?: User['riskLevel'] | undefined },
): User {
  const now = new Date()
  return {
    id: randomUUIDv7(),
    name: input.name,
    email: input.email,
    emailVerified: false,
    image: input.image ?? null,
    locale: ctx.client.locale,
    tradingEnabled: false,
    riskLevel: input.riskLevel ?? 'conservative',
    twoFactorEnabled: false,
    unlinkedProviders: [],
    suspendedAt: null,
    suspendedUntil: null,
    role: null,
    roleGrantedAt: null,
    ...unprotected,
    importedAt: null,
    createdAt: now,
    updatedAt: now,
  }
}
