import { AppError } from '../kernel/errors.ts'
import { mutation } from '../mutation.ts'
import { renamePasskeyInput } from './contract.ts'
import { requireRelyingParty } from './passkey-challenge.ts'
import { presentPasskey } from './present-passkey.ts'

/** PASSKEY_NOT_FOUND, also for the passkey of another user. */
export const renamePasskey = mutation({
  access: 'session',
  sensitive: false,
  input: renamePasskeyInput,
  limit: null,
  events: ['rename-passkey'],
  mails: [],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input: { id, name } }) {
    requireRelyingParty(ctx)
    const [passkey] = await tx.passkey.updateManyAndReturn({ where: { id, userId: ctx.user.id }, data: { name } })
    if (!passkey) throw new AppError('PASSKEY_NOT_FOUND')
    return { events: [{ action: 'rename-passkey', details: { passkey: name } }], result: { passkey: presentPasskey(passkey) } }
  },
})
