import type { z } from 'zod'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { sendReauthenticationLink } from '../mail/notifications.ts'
import { consumeOneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import { assertPasswordUnchanged, confirmPassword } from '../password-guesses/confirm-password.ts'
import type { ActiveSession } from '../sessions/session-cache.ts'
import { renewSession, setSessionCookie } from '../sessions/session-store.ts'
import { beginSocialFlow, requireProvider } from '../social/social-flow.ts'
import { sessionProcedure } from '../trpc.ts'
import { verifyCode } from '../two-factor/verify-code.ts'
import { lockCaller } from '../users/lock-user.ts'
import { reauthenticateInput } from './contract.ts'
import { findReauthenticationMethods } from './reauthentication-methods.ts'

/** Spec: Sign-in and sign-up. Throws the errors of `confirmPassword` and `verifyCode`, or INVALID_TOKEN. */
export const reauthenticate = sessionProcedure.input(reauthenticateInput).mutation(async ({ ctx, input }) => {
  if (input.provider !== undefined) return startProviderFlow(ctx, input.provider, input)
  if (input.sendEmail) return sendLink(ctx)
  return verifyProof(ctx, input)
})

type ReauthenticateInput = z.infer<typeof reauthenticateInput>

async function startProviderFlow(
  ctx: Context & ActiveSession,
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

async function sendLink(ctx: Context & ActiveSession) {
  await ctx.limiter.consume('reauthentication-link:user', ctx.user.id)
  await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const user = await tx.user.findUniqueOrThrow({ where: { id: ctx.user.id } })
    const methods = await findReauthenticationMethods(ctx, tx, user)
    if (!methods.includes('email')) throw new AppError('REAUTHENTICATION_METHOD_NOT_AVAILABLE')
    await sendReauthenticationLink(ctx, tx, user)
    await recordAuditEvent(tx, ctx.client, { userId: user.id, action: 'request-reauthentication-link' })
  })
  ctx.mail.wake()
  return { status: true as const }
}

async function verifyProof(ctx: Context & ActiveSession, { password, code, token }: ReauthenticateInput) {
  const userId = ctx.user.id
  if (code !== undefined) await ctx.limitByIp('two-factor:ip')
  const method = password !== undefined ? 'password' : code !== undefined ? 'code' : 'email'
  const account = password === undefined ? null : await confirmPassword(ctx, userId, password)
  const renewed = await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    if (account) await assertPasswordUnchanged(tx, account)
    if (code !== undefined) {
      const check = await verifyCode(ctx, tx, await tx.user.findUniqueOrThrow({ where: { id: userId } }), { code })
      // A throw would roll back the count of wrong codes.
      if (check.outcome !== 'right') return check.error
    }
    if (method === 'email' && (await consumeOneTimeToken(tx, 'reauthenticate', token ?? '')).userId !== userId)
      throw new AppError('INVALID_TOKEN')
    await recordAuditEvent(tx, ctx.client, { userId, action: 'reauthenticate', details: { method } })
    return renewSession(ctx, tx, ctx.session.id, { authenticatedAt: new Date() })
  })
  ctx.mail.wake()
  if (renewed instanceof AppError) throw renewed
  if (!renewed) throw new AppError('UNAUTHORIZED')
  setSessionCookie(ctx, renewed.token, renewed.session)
  return { status: true as const }
}
