import { AppError } from '../kernel/errors.ts'
import { customMutation } from '../mutation.ts'
import { presentSession, presentUser } from '../sessions/present-session.ts'
import { openSession, setSignInCookies, signInActions, signInCookies } from '../sign-in/complete-sign-in.ts'
import { transact } from '../transact.ts'
import { lockUser } from '../users/lock-user.ts'
import { registerPasskeyInput } from './contract.ts'
import { createPasskey } from './create-passkey.ts'
import { consumePasskeyChallenge, findChallengedUser, requireRelyingParty } from './passkey-challenge.ts'
import { presentPasskey } from './present-passkey.ts'
import { consumeSignUpLink } from './sign-up-link.ts'
import { getPasskeyMethod } from './verify-passkey.ts'
import { readChallenge } from './webauthn.ts'

/**
 * Completes a sign-up by its first passkey: verifies the address, and signs in.
 * CHALLENGE_NOT_FOUND, INVALID_TOKEN, TOKEN_EXPIRED, and the errors of `createPasskey`.
 */
export const registerByLink = customMutation({
  access: 'public',
  sensitive: false,
  input: registerPasskeyInput,
  limit: 'passkey:ip',
  lock: 'own',
  events: ['verify-email', 'add-passkey', ...signInActions],
  mails: ['password-cleared'],
  cookies: signInCookies,

  async run({ ctx, input }) {
    requireRelyingParty(ctx)
    const challenge = readChallenge(input.response)
    const { passkey, opened, user } = await transact(
      ctx,
      async (tx) => lockUser(tx, await findChallengedUser(tx, challenge)),
      async (tx) => {
        const { userId, link } = await consumePasskeyChallenge(ctx, tx, 'passkey-registration', challenge)
        if (userId === null || link === undefined) return { events: [], refusal: new AppError('CHALLENGE_NOT_FOUND') }
        const passkey = await createPasskey(ctx, tx, userId, input)
        if (passkey instanceof AppError) return { events: [], refusal: passkey }
        const user = await consumeSignUpLink(ctx, tx, userId, link)
        const method = getPasskeyMethod(passkey)
        const secondFactor = { method, at: new Date() }
        const details = { factor: 'passkey' }
        const intent = { remember: true, method }
        const opened = await openSession(ctx, tx, userId, intent, { details, trust: null, account: null, secondFactor })
        const event = { userId, action: 'add-passkey', details: { passkey: passkey.name } } as const
        return { events: [event], result: { passkey, opened, user } }
      },
    )
    setSignInCookies(ctx, opened)
    return { ...presentPasskey(passkey), session: presentSession(opened.session), user: presentUser(user) }
  },
})
