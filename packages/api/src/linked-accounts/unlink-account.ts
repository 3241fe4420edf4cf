import type { Account } from '@floorpass/db'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import type { ProviderId } from '../kernel/provider-ids.ts'
import { sendAccountUnlinked } from '../mail/notifications.ts'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { unlinkAccountInput } from './contract.ts'

/**
 * Takes away one of the caller's ways to sign in. Spec: Linked accounts. SESSION_NOT_FRESH, ACCOUNT_NOT_FOUND, and
 * FAILED_TO_UNLINK_LAST_ACCOUNT when no other way would be left: the lock makes two at once take turns.
 */
export const unlinkAccount = sessionProcedure.input(unlinkAccountInput).mutation(async ({ ctx, input }) => {
  assertReauthenticated(ctx.session)
  const userId = ctx.user.id
  await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const accounts = await tx.account.findMany({ where: { userId } })
    const [account, ...more] = accounts.filter((candidate) => isNamed(candidate, input) && !isEmptyPassword(candidate))
    if (!account || more.length > 0) throw new AppError('ACCOUNT_NOT_FOUND')
    if (!accounts.some((other) => other.id !== account.id && canSignIn(ctx, other)))
      throw new AppError('FAILED_TO_UNLINK_LAST_ACCOUNT')

    await tx.account.delete({ where: { id: account.id } })
    // Else an identity with the account's own address would be linked again by its next sign-in.
    const { unlinkedProviders } = await tx.user.findUniqueOrThrow({ where: { id: userId } })
    const names = [...new Set([...unlinkedProviders, account.providerId])]
    await tx.user.update({ where: { id: userId }, data: { unlinkedProviders: names } })
    // Nobody ends a sign-in that the lost way began; and no link brings a password back.
    await voidOneTimeTokens(tx, userId, account.providerId === 'credential' ? ['two-factor', 'reset-password'] : ['two-factor'])
    await recordAuditEvent(tx, ctx.client, { userId, action: 'unlink-account', details: { provider: account.providerId } })
    await sendAccountUnlinked(ctx, tx, ctx.user, account.providerId)
  })
  ctx.mail.wake()
  return { status: true as const }
})

type Named = { accountId?: string | undefined; providerId?: string | undefined }

const isNamed = (account: Account, { accountId, providerId }: Named): boolean =>
  (providerId === undefined || account.providerId === providerId) &&
  (accountId === undefined || account.id === accountId || account.accountId === accountId)

/** Nothing to take away: the list does not show it. */
const isEmptyPassword = ({ providerId, passwordHash }: Account): boolean => providerId === 'credential' && passwordHash === null

/** A provider that is not configured lets nobody in. */
const canSignIn = ({ providers }: Context, { providerId, passwordHash }: Account): boolean =>
  providerId === 'credential' ? passwordHash !== null : providers.has(providerId as ProviderId)
