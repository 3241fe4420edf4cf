import type { Account } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { sendAccountUnlinked } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { canSignIn, hasUsablePasskey } from '../users/sign-in-methods.ts'
import { startHold } from '../users/start-hold.ts'
import { unlinkAccountInput } from './contract.ts'

/** Removes a sign-in method. SESSION_NOT_FRESH, ACCOUNT_NOT_FOUND, FAILED_TO_UNLINK_LAST_ACCOUNT. */
export const unlinkAccount = mutation({
  access: 'reauthenticated',
  sensitive: true,
  input: unlinkAccountInput,
  limit: null,
  events: ['unlink-account'],
  mails: ['account-unlinked'],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input }) {
    const userId = ctx.user.id
    const accounts = await tx.account.findMany({ where: { userId } })
    const [account, ...more] = accounts.filter(
      (candidate) => isSelected(candidate, input) && !isCredentialWithoutPassword(candidate),
    )
    if (!account || more.length > 0) throw new AppError('ACCOUNT_NOT_FOUND')
    if (!(await hasUsablePasskey(ctx, tx, userId)) && !accounts.some((other) => other.id !== account.id && canSignIn(ctx, other)))
      throw new AppError('FAILED_TO_UNLINK_LAST_ACCOUNT')

    await tx.account.delete({ where: { id: account.id } })
    // Keeps the next sign-in at this provider from linking the account again by its email address.
    const { unlinkedProviders } = await tx.user.findUniqueOrThrow({ where: { id: userId } })
    const names = [...new Set([...unlinkedProviders, account.providerId])]
    await tx.user.update({ where: { id: userId }, data: { unlinkedProviders: names } })
    // Voids sign-ins that the removed method began, and reset links that would set a password again.
    await voidOneTimeTokens(tx, userId, account.providerId === 'credential' ? ['two-factor', 'reset-password'] : ['two-factor'])
    await startHold(ctx, tx, userId, 'change-factor')
    await sendAccountUnlinked(ctx, tx, ctx.user, account.providerId)
    return {
      events: [{ action: 'unlink-account', details: { provider: account.providerId } }],
      result: { status: true as const },
    }
  },
})

type AccountSelector = { accountId?: string | undefined; providerId?: string | undefined }

const isSelected = (account: Account, { accountId, providerId }: AccountSelector): boolean =>
  (providerId === undefined || account.providerId === providerId) &&
  (accountId === undefined || account.id === accountId || account.accountId === accountId)

const isCredentialWithoutPassword = ({ providerId, passwordHash }: Account): boolean =>
  providerId === 'credential' && passwordHash === null
