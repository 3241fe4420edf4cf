import type { Account, Transaction } from '@floorpass/db'
import type { Context } from '../context.ts'
import type { ProviderId } from '../kernel/provider-ids.ts'

/** True for a password, or a provider that is configured. */
export const canSignIn = (
  { providers }: Pick<Context, 'providers'>,
  { providerId, passwordHash }: Pick<Account, 'providerId' | 'passwordHash'>,
): boolean => (providerId === 'credential' ? passwordHash !== null : providers.has(providerId as ProviderId))

/** False where browsers offer no passkeys. */
export const hasUsablePasskey = async (
  { settings }: Pick<Context, 'settings'>,
  db: Transaction,
  userId: string,
): Promise<boolean> => settings.passkeys !== null && (await db.passkey.count({ where: { userId } })) > 0
