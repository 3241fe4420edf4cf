import { AppError } from '../kernel/errors.ts'
import { sendPasskeyAdded } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { assertBothFactors } from '../reauthentication/reauthentication.ts'
import { startHold } from '../users/start-hold.ts'
import { registerPasskeyInput } from './contract.ts'
import { createPasskey } from './create-passkey.ts'
import { consumePasskeyChallenge, requireRelyingParty } from './passkey-challenge.ts'
import { presentPasskey } from './present-passkey.ts'
import { readChallenge } from './webauthn.ts'

/** SESSION_NOT_FRESH, CHALLENGE_NOT_FOUND, YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY, and the errors of `createPasskey`. */
export const registerPasskey = mutation({
  access: 'reauthenticated',
  sensitive: true,
  input: registerPasskeyInput,
  limit: 'passkey:ip',
  events: ['add-passkey'],
  mails: ['passkey-added'],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input }) {
    requireRelyingParty(ctx)
    assertBothFactors(ctx)
    const userId = ctx.user.id
    const issued = await consumePasskeyChallenge(ctx, tx, 'passkey-registration', readChallenge(input.response))
    if (issued.userId !== userId) return { events: [], refusal: new AppError('YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY') }
    const passkey = await createPasskey(ctx, tx, userId, input)
    if (passkey instanceof AppError) return { events: [], refusal: passkey }
    await startHold(ctx, tx, userId, 'add-passkey')
    await sendPasskeyAdded(ctx, tx, ctx.user, passkey.name)
    return { events: [{ action: 'add-passkey', details: { passkey: passkey.name } }], result: presentPasskey(passkey) }
  },
})
