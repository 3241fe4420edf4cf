import { keptByNewSignIn } from '@floorpass/db'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import { rememberDevice } from '../known-devices/known-device.ts'
import { sendPasswordChanged } from '../mail/notifications.ts'
import { assertPasswordUnchanged, confirmPassword } from '../password-guesses/confirm-password.ts'
import { resetSignInThrottle } from '../password-guesses/password-guesses.ts'
import { assertPasswordAllowed } from '../password-strength/password-rules.ts'
import { presentUser } from '../sessions/present-session.ts'
import { findPresentedSession, setSessionCookie, startSession } from '../sessions/session-store.ts'
import { sessionProcedure } from '../trpc.ts'
import { lockCaller } from '../users/lock-user.ts'
import { changePasswordInput } from './contract.ts'
import { replacePassword } from './replace-password.ts'

/** Spec: Passwords. Throws the errors of `confirmPassword` and `assertPasswordAllowed`. */
export const changePassword = sessionProcedure.input(changePasswordInput).mutation(async ({ ctx, input }) => {
  const account = await confirmPassword(ctx, ctx.user.id, input.currentPassword)
  await assertPasswordAllowed(input.newPassword, { ...ctx.user, appName: ctx.settings.appName }, 'newPassword')

  const passwordHash = await ctx.passwords.hash(input.newPassword)
  const { session, token, changed } = await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    await assertPasswordUnchanged(tx, account)
    const previous = await findPresentedSession(ctx, tx)
    const changed = await replacePassword(tx, ctx.user.id, passwordHash)
    await recordAuditEvent(tx, ctx.client, { userId: ctx.user.id, action: 'change-password' })
    await sendPasswordChanged(ctx, tx, ctx.user)
    return { ...(await startSession(ctx, tx, keptByNewSignIn(previous ?? ctx.session))), changed }
  })
  setSessionCookie(ctx, token, session)
  rememberDevice(ctx, changed)
  await resetSignInThrottle(ctx, 'unknown', ctx.user.email, changed)
  ctx.mail.wake()
  return { token: session.handle, user: presentUser(ctx.user) }
})
