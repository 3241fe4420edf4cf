import type { Transaction } from '@floorpass/db'
import { sendAllowListDisabling, sendAllowListEnabled } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { passkeyActions, passkeyMails } from '../passkeys/verify-passkey.ts'
import { assertReauthenticated } from '../reauthentication/reauthentication.ts'
import { requireUnlocked } from '../users/lock-user.ts'
import { confirmLoosening } from './confirm-loosening.ts'
import { setAllowListInput } from './contract.ts'
import { getCoolingOffEnd } from './cooling-off.ts'
import { type AllowListState, findAllowList } from './find-allow-list.ts'

/**
 * Switches the list on at once, or off after the cooling-off. A repeated switch-off keeps the first end.
 * When switching off: SESSION_NOT_FRESH, ACCOUNT_LOCKED; errors of `confirmLoosening`.
 */
export const setAllowList = mutation({
  access: 'session',
  sensitive: 'in-part',
  input: setAllowListInput,
  limit: 'change-allow-list:ip',
  events: ['enable-allow-list', 'disable-allow-list', ...passkeyActions],
  mails: ['allow-list-enabled', 'allow-list-disabling', ...passkeyMails],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input: { enabled, passkey } }) {
    const userId = ctx.user.id
    const state = await findAllowList(tx, userId)
    if (enabled) {
      if (state.enabled && state.endsAt === null) return { events: [], result: state }
      const result = await switchOn(tx, userId, state)
      await sendAllowListEnabled(ctx, tx, ctx.user, {})
      return { events: [{ action: 'enable-allow-list' }], result }
    }
    await requireUnlocked(tx, userId)
    assertReauthenticated(ctx.session)
    if (!state.enabled || state.endsAt !== null) return { events: [], result: state }
    const refusal = await confirmLoosening(ctx, tx, passkey)
    if (refusal) return { events: [], refusal }
    const endsAt = getCoolingOffEnd(ctx)
    await tx.allowList.update({ where: { userId }, data: { endsAt } })
    await sendAllowListDisabling(ctx, tx, ctx.user, { endsAt })
    return { events: [{ action: 'disable-allow-list' }], result: { enabled: true, endsAt } }
  },
})

/** Cancels a pending switch-off. */
async function switchOn(tx: Transaction, userId: string, { enabled }: AllowListState): Promise<AllowListState> {
  const enabledAt = new Date()
  await tx.allowList.upsert({
    where: { userId },
    create: { userId, enabledAt, endsAt: null },
    update: { endsAt: null, ...(!enabled && { enabledAt }) },
  })
  return { enabled: true, endsAt: null }
}
