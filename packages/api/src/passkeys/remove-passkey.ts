import type { Transaction } from '@floorpass/db'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { sendPasskeyRemoved } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { assertBothFactors } from '../reauthentication/reauthentication.ts'
import { canSignIn } from '../users/sign-in-methods.ts'
import { startHold } from '../users/start-hold.ts'
import { removePasskeyInput } from './contract.ts'
import { requireRelyingParty } from './passkey-challenge.ts'

/** Ends no session. SESSION_NOT_FRESH, PASSKEY_NOT_FOUND, FAILED_TO_DELETE_LAST_PASSKEY, TWO_FACTOR_NEEDS_PASSKEY. */
export const removePasskey = mutation({
  access: 'reauthenticated',
  sensitive: true,
  input: removePasskeyInput,
  limit: null,
  events: ['remove-passkey'],
  mails: ['passkey-removed'],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input: { id } }) {
    requireRelyingParty(ctx)
    assertBothFactors(ctx)
    const userId = ctx.user.id
    const passkey = await tx.passkey.findUnique({ where: { id, userId } })
    if (!passkey) throw new AppError('PASSKEY_NOT_FOUND')
    if ((await tx.passkey.count({ where: { userId, id: { not: id } } })) === 0) await assertNotNeeded(ctx, tx, userId)
    await tx.passkey.delete({ where: { id } })
    // Voids sign-ins that the passkey began.
    await voidOneTimeTokens(tx, userId, ['two-factor'])
    await startHold(ctx, tx, userId, 'remove-passkey')
    await sendPasskeyRemoved(ctx, tx, ctx.user, passkey.name)
    return {
      events: [{ action: 'remove-passkey', details: { passkey: passkey.name } }],
      result: { status: true as const },
    }
  },
})

async function assertNotNeeded(ctx: Context, tx: Transaction, userId: string): Promise<void> {
  const { accounts, twoFactor, twoFactorEnabled } = await tx.user.findUniqueOrThrow({
    where: { id: userId },
    include: { accounts: true, twoFactor: true },
  })
  if (twoFactorEnabled && !twoFactor?.confirmedAt) throw new AppError('TWO_FACTOR_NEEDS_PASSKEY')
  if (!accounts.some((account) => canSignIn(ctx, account))) throw new AppError('FAILED_TO_DELETE_LAST_PASSKEY')
}
