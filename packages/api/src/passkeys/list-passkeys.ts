import { sessionProcedure } from '../trpc.ts'
import { requireRelyingParty } from './passkey-challenge.ts'
import { presentPasskey } from './present-passkey.ts'

export const listPasskeys = sessionProcedure.query(async ({ ctx }) => {
  requireRelyingParty(ctx)
  const passkeys = await ctx.db.passkey.findMany({ where: { userId: ctx.user.id }, orderBy: { id: 'asc' } })
  return passkeys.map(presentPasskey)
})
