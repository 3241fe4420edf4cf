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

/** Removes a sign-in method. SESSION_NOT_FRESH, ACCOUNT_NOT_FOUND, FAILED_TO_UNLINK_LAST_ACCOUNT. */
export const unlinkAccount = sessionProcedure.input(unlinkAccountInput).mutation(async ({ ctx, input }) => {
  assertReauthenticated(ctx.session)
  const userId = ctx.user.id
  await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const accounts = await tx.account.findMany({ where: { userId } })
    const [account, ...more] = accounts.filter(
      (candidate) => isSelected(candidate, input) && !isCredentialWithoutPassword(candidate),
    )
    if (!account || more.length > 0) throw new AppError('ACCOUNT_NOT_FOUND')
    if (!accounts.some((other) => other.id !== account.id && canSignIn(ctx, other)))
      throw new AppError('FAILED_TO_UNLINK_LAST_ACCOUNT')

    await tx.account.delete({ where: { id: account.id } })
    // Keeps the next sign-in at this provider from linking the account again by its email address.
    const { unlinkedProviders } = await tx.user.findUniqueOrThrow({ where: { id: userId } })
    const names = [...new Set([...unlinkedProviders, account.providerId])]
    await tx.user.update({ where: { id: userId }, data: { unlinkedProviders: names } })
    // Voids sign-ins that the removed method began, and reset links that would set a password again.
    await voidOneTimeTokens(tx, userId, account.providerId === 'credential' ? ['two-factor', 'reset-password'] : ['two-factor'])
    await recordAuditEvent(tx, ctx.client, { userId, action: 'unlink-account', details: { provider: account.providerId } })
    await sendAccountUnlinked(ctx, tx, ctx.user, account.providerId)
  })
  ctx.mail.wake()
  return { status: true as const }
})

type AccountSelector = { accountId?: string | undefined; providerId?: string | undefined }

const isSelected = (account: Account, { accountId, providerId }: AccountSelector): boolean =>
  (providerId === undefined || account.providerId === providerId) &&
  (accountId === undefined || account.id === accountId || account.accountId === accountId)

const isCredentialWithoutPassword = ({ providerId, passwordHash }: Account): boolean =>
  providerId === 'credential' && passwordHash === null

const canSignIn = ({ providers }: Context, { providerId, passwordHash }: Account): boolean =>
  providerId === 'credential' ? passwordHash !== null : providers.has(providerId as ProviderId)
