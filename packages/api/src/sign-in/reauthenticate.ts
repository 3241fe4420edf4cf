import type { z } from 'zod'
import type { Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import type { SetsCookies } from '../cookies/flow-cookie.ts'
import { AppError } from '../kernel/errors.ts'
import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { type Mails, sendReauthenticationLink } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { consumeOneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import type { PasskeyAssertion } from '../passkeys/contract.ts'
import { checkUserVerification, type PasskeyContext, verifyPasskey } from '../passkeys/verify-passkey.ts'
import { assertPasswordUnchanged, confirmPassword } from '../password-guesses/confirm-password.ts'
import type { GuessContext } from '../password-guesses/password-guesses.ts'
import type { AuthenticationMethod } from '../sessions/authentication.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { renewSession, setSessionCookie } from '../sessions/session-store.ts'
import { beginSocialFlow, requireProvider } from '../social/social-flow.ts'
import { transact } from '../transact.ts'
import { type CodeContext, verifyCode } from '../two-factor/verify-code.ts'
import { proofActions, proofMails } from '../two-factor/verify-owner.ts'
import { lockCaller } from '../users/lock-user.ts'
import { reauthenticateInput } from './contract.ts'
import { findReauthenticationMethods } from './reauthentication-methods.ts'

/** Spec: Sign-in and sign-up. Throws the errors of `confirmPassword` and `verifyCode`, or INVALID_TOKEN. */
export const reauthenticate = customMutation({
  access: 'session',
  sensitive: false,
  input: reauthenticateInput,
  limit: null,
  lock: 'caller',
  events: ['reauthenticate', 'request-reauthentication-link', ...proofActions],
  mails: ['reauthenticate', ...proofMails],
  cookies: ['session', 'flow'],

  async run({ ctx, input }) {
    if (input.provider !== undefined) return startProviderFlow(ctx, input.provider, input)
    if (input.sendEmail) return sendLink(ctx, input.callbackURL)
    if (input.passkey !== undefined) return verifyPasskeyProof(ctx, input.passkey)
    return verifyProof(ctx, input)
  },
})

const authenticationMethods = { password: 'pwd', code: 'otp', email: 'mail' } as const satisfies Record<
  string,
  AuthenticationMethod
>

type ReauthenticateInput = z.infer<typeof reauthenticateInput>

async function startProviderFlow(
  ctx: Context & ActiveSession & SetsCookies<'flow'>,
  id: string,
  { disableRedirect, callbackURL, errorCallbackURL }: ReauthenticateInput,
) {
  await ctx.limitByIp('social:ip')
  const provider = requireProvider(ctx, id)
  const isLinked = (await ctx.db.account.count({ where: { userId: ctx.user.id, providerId: provider.id } })) > 0
  if (!isLinked) throw new AppError('ACCOUNT_NOT_FOUND')
  const url = await beginSocialFlow(ctx, provider, {
    targets: { callbackURL, errorCallbackURL },
    reauthentication: { userId: ctx.user.id, sessionId: ctx.session.id },
  })
  return { url: url.href, redirect: !disableRedirect }
}

async function sendLink(
  ctx: Context & ActiveSession & Records<'request-reauthentication-link'> & Mails<'reauthenticate'>,
  callbackURL: string | undefined,
) {
  assertRedirectTarget(callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
  await ctx.limiter.consume('reauthentication-link:user', ctx.user.id)
  return transact(
    ctx,
    (tx) => lockCaller(tx, ctx),
    async (tx) => {
      const user = await tx.user.findUniqueOrThrow({ where: { id: ctx.user.id } })
      const methods = await findReauthenticationMethods(ctx, tx, user)
      if (!methods.includes('email')) throw new AppError('REAUTHENTICATION_METHOD_NOT_AVAILABLE')
      await sendReauthenticationLink(ctx, tx, user, callbackURL)
      return { events: [{ action: 'request-reauthentication-link' }], result: { status: true as const } }
    },
  )
}

async function verifyProof(
  ctx: GuessContext & CodeContext & ActiveSession & Records<'reauthenticate'> & SetsCookies<'session'>,
  { password, code, token }: ReauthenticateInput,
) {
  const userId = ctx.user.id
  if (code !== undefined) await ctx.limitByIp('two-factor:ip')
  const method = password !== undefined ? 'password' : code !== undefined ? 'code' : 'email'
  const account = password === undefined ? null : await confirmPassword(ctx, userId, password)
  const renewed = await transact(
    ctx,
    (tx) => lockCaller(tx, ctx),
    async (tx) => {
      if (account) await assertPasswordUnchanged(tx, account)
      if (code !== undefined) {
        const check = await verifyCode(ctx, tx, await tx.user.findUniqueOrThrow({ where: { id: userId } }), { code })
        if (check.outcome !== 'right') return { events: [], refusal: check.error }
      }
      if (method === 'email' && (await consumeOneTimeToken(tx, 'reauthenticate', token ?? '')).userId !== userId)
        throw new AppError('INVALID_TOKEN')
      const proof = { method: authenticationMethods[method], at: new Date(), provesSecondFactor: method === 'code' }
      const result = await renewSession(ctx, tx, ctx.session.id, proof)
      if (!result) throw new AppError('UNAUTHORIZED')
      return { events: [{ action: 'reauthenticate', details: { method } }], result }
    },
  )
  setSessionCookie(ctx, renewed.token, renewed.session)
  return { status: true as const }
}

async function verifyPasskeyProof(
  ctx: PasskeyContext & ActiveSession & Records<'reauthenticate'> & SetsCookies<'session'>,
  response: PasskeyAssertion,
) {
  const renewed = await transact(
    ctx,
    (tx) => lockCaller(tx, ctx),
    async (tx) => {
      const passkey = checkUserVerification(await verifyPasskey(ctx, tx, ctx.user.id, response))
      if (passkey instanceof AppError) return { events: [], refusal: passkey }
      const proof = { method: passkey.method, at: new Date(), provesSecondFactor: true }
      const result = await renewSession(ctx, tx, ctx.session.id, proof)
      if (!result) throw new AppError('UNAUTHORIZED')
      return { events: [{ action: 'reauthenticate', details: { method: 'passkey' } }], result }
    },
  )
  setSessionCookie(ctx, renewed.token, renewed.session)
  return { status: true as const }
}
