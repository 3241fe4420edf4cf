import { AppError } from '../kernel/errors.ts'
import { sendAllowListRemoved } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { removeAllowListEntryInput } from './contract.ts'

/** Takes effect at once, also while the account is locked. ALLOW_LIST_ENTRY_NOT_FOUND. */
export const removeEntry = mutation({
  access: 'session',
  sensitive: false,
  input: removeAllowListEntryInput,
  limit: 'change-allow-list:ip',
  events: ['remove-allow-list-entry'],
  mails: ['allow-list-removed'],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input: { id } }) {
    const entry = await tx.allowListEntry.findUnique({ where: { id, userId: ctx.user.id } })
    if (!entry) throw new AppError('ALLOW_LIST_ENTRY_NOT_FOUND')
    await tx.allowListEntry.delete({ where: { id } })
    await sendAllowListRemoved(ctx, tx, ctx.user, entry)
    const { kind, value, label } = entry
    return {
      events: [{ action: 'remove-allow-list-entry', details: { kind, value, label } }],
      result: { status: true as const },
    }
  },
})
