import type { Transaction, User } from '@floorpass/db'
import type { Context } from '../context.ts'
import type { SetsCookies } from '../cookies/flow-cookie.ts'
import { createToken } from '../kernel/random-token.ts'
import type { StartRegistration } from './contract.ts'
import { issuePasskeyChallenge, requireRelyingParty } from './passkey-challenge.ts'
import { createRegistrationOptions, type RegistrationOptions } from './webauthn.ts'

/** What `navigator.credentials.create` needs (WebAuthn 5.4). `link` stands for a session. Lock the user first. */
export async function issueRegistrationOptions(
  ctx: Context & SetsCookies<'passkey'>,
  tx: Transaction,
  user: Pick<User, 'id' | 'email'>,
  input: StartRegistration,
  link?: string,
): Promise<RegistrationOptions> {
  const relyingParty = requireRelyingParty(ctx)
  const userId = user.id
  return createRegistrationOptions(relyingParty, {
    appName: ctx.settings.appName,
    challenge: await issuePasskeyChallenge(ctx, tx, 'passkey-registration', { userId, link }),
    user: { handle: await getOrCreateUserHandle(tx, userId), name: input?.name ?? user.email, displayName: user.email },
    exclude: await tx.passkey.findMany({ where: { userId } }),
    authenticatorAttachment: input?.authenticatorAttachment,
  })
}

/** Random and stable, so that authenticators learn nothing about the user and replace an older passkey. */
async function getOrCreateUserHandle(tx: Transaction, userId: string): Promise<string> {
  const known = await tx.passkeyHandle.findUnique({ where: { userId } })
  return (known ?? (await tx.passkeyHandle.create({ data: { userId, handle: createToken() } }))).handle
}
