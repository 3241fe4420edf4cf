import type { Transaction } from '@floorpass/db'
import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'
import { sendAllowListAdded } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { passkeyActions, passkeyMails } from '../passkeys/verify-passkey.ts'
import { confirmLoosening } from './confirm-loosening.ts'
import { addAllowListEntryInput } from './contract.ts'
import { getCoolingOffEnd } from './cooling-off.ts'
import { presentEntry } from './present-entry.ts'

/** SESSION_NOT_FRESH, ACCOUNT_LOCKED, ALLOW_LIST_ENTRY_EXISTS, ALLOW_LIST_LIMIT_REACHED; errors of `confirmLoosening`. */
export const addEntry = mutation({
  access: 'reauthenticated',
  sensitive: true,
  input: addAllowListEntryInput,
  limit: 'change-allow-list:ip',
  events: ['add-allow-list-entry', ...passkeyActions],
  mails: ['allow-list-added', ...passkeyMails],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input: { kind, value, label, passkey } }) {
    const userId = ctx.user.id
    await assertAddable(tx, { userId, kind, value })
    const refusal = await confirmLoosening(ctx, tx, passkey)
    if (refusal) return { events: [], refusal }
    const entry = await tx.allowListEntry.create({
      data: { userId, kind, value, label, createdAt: new Date(), usableFrom: getCoolingOffEnd(ctx) },
    })
    await sendAllowListAdded(ctx, tx, ctx.user, entry)
    return {
      events: [{ action: 'add-allow-list-entry', details: { kind, value, label } }],
      result: presentEntry(entry),
    }
  },
})

/** Lock the user first, so that two requests cannot both take the last place. */
async function assertAddable(tx: Transaction, entry: { userId: string; kind: string; value: string }): Promise<void> {
  if (await tx.allowListEntry.findUnique({ where: { userId_kind_value: entry } })) throw new AppError('ALLOW_LIST_ENTRY_EXISTS')
  const count = await tx.allowListEntry.count({ where: { userId: entry.userId } })
  if (count >= policy.allowList.perUser) throw new AppError('ALLOW_LIST_LIMIT_REACHED')
}
