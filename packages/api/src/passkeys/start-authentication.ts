import type { Context } from '../context.ts'
import { customMutation } from '../mutation.ts'
import { transact } from '../transact.ts'
import { findChallenge } from '../two-factor/challenge.ts'
import { lockUser } from '../users/lock-user.ts'
import { startAuthenticationInput } from './contract.ts'
import { issuePasskeyChallenge, requireRelyingParty } from './passkey-challenge.ts'
import { createAuthenticationOptions } from './webauthn.ts'

/**
 * Returns what `navigator.credentials.get` needs (WebAuthn 5.5).
 * Lists the user's passkeys once a session or a first factor names the user, unless the request asks for `discoverable`.
 */
export const startAuthentication = customMutation({
  access: 'public',
  sensitive: false,
  input: startAuthenticationInput,
  limit: 'passkey:ip',
  lock: 'own',
  events: [],
  mails: [],
  cookies: ['passkey'],

  async run({ ctx, input }) {
    const relyingParty = requireRelyingParty(ctx)
    const named = input?.discoverable ? null : await findNamedUser(ctx)
    return transact(
      ctx,
      (tx) => lockUser(tx, named),
      async (tx, isThere) => {
        const userId = isThere ? named : null
        const challenge = await issuePasskeyChallenge(ctx, tx, 'passkey-authentication', { userId })
        const allow = userId === null ? [] : await tx.passkey.findMany({ where: { userId } })
        return { events: [], result: await createAuthenticationOptions(relyingParty, { challenge, allow }) }
      },
    )
  },
})

async function findNamedUser(ctx: Context): Promise<string | null> {
  const active = await ctx.findSession()
  return active?.user.id ?? (await findChallenge(ctx, ctx.db))?.userId ?? null
}
