import { sendPhraseChanged } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { sealPhrase } from '../users/phrase.ts'
import { setPhraseInput } from './contract.ts'

/** Spec: Protection. SESSION_NOT_FRESH. */
export const setPhrase = mutation({
  access: 'reauthenticated',
  sensitive: true,
  input: setPhraseInput,
  limit: 'change-protection:ip',
  events: ['set-phrase'],
  mails: ['phrase-changed'],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input: { phrase } }) {
    const { id } = ctx.user
    // Sent before the change: the owner trusts a mail with the former phrase.
    await sendPhraseChanged(ctx, tx, ctx.user)
    await tx.user.update({ where: { id }, data: { phraseSealed: phrase === null ? null : sealPhrase(ctx, id, phrase) } })
    return { events: [{ action: 'set-phrase' }], result: { status: true as const } }
  },
})
