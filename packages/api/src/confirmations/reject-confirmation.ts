import { mutation } from '../mutation.ts'
import { requirePendingConfirmation } from './confirmation.ts'
import { confirmationInput } from './contract.ts'

/** Errors of `requirePendingConfirmation`. */
export const rejectConfirmation = mutation({
  access: 'session',
  sensitive: false,
  input: confirmationInput,
  limit: 'answer-confirmation:ip',
  events: ['reject-confirmation'],
  mails: [],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input }) {
    const { id, type } = await requirePendingConfirmation(tx, ctx, input.id)
    await tx.confirmation.update({ where: { id }, data: { rejectedAt: new Date() } })
    return {
      events: [{ action: 'reject-confirmation', details: { confirmation: id, type } }],
      result: { status: true as const },
    }
  },
})
