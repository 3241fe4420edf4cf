import { keptByNewSignIn } from '@floorpass/db'
import { rememberDevice } from '../known-devices/known-device.ts'
import { sendPasswordChanged } from '../mail/notifications.ts'
import { mutation } from '../mutation.ts'
import { assertPasswordUnchanged, confirmPassword } from '../password-guesses/confirm-password.ts'
import { resetSignInThrottle } from '../password-guesses/password-guesses.ts'
import { assertPasswordAllowed } from '../password-strength/password-rules.ts'
import { presentUser } from '../sessions/present-session.ts'
import { findPresentedSession, setSessionCookie, startSession } from '../sessions/session-store.ts'
import { replacePassword } from '../users/replace-password.ts'
import { changePasswordInput } from './contract.ts'

/** Spec: Passwords. Throws the errors of `confirmPassword` and `assertPasswordAllowed`. */
export const changePassword = mutation({
  access: 'session',
  sensitive: true,
  input: changePasswordInput,
  limit: null,
  events: ['change-password', 'pause-password'],
  mails: ['password-changed', 'password-paused'],
  cookies: ['session', 'known_device'],

  async prepare({ ctx, input }) {
    const account = await confirmPassword(ctx, ctx.user.id, input.currentPassword)
    await assertPasswordAllowed(input.newPassword, { ...ctx.user, appName: ctx.settings.appName }, 'newPassword')
    return { account, passwordHash: await ctx.passwords.hash(input.newPassword) }
  },
  lock: 'caller',
  async change(tx, { ctx, prepared }) {
    await assertPasswordUnchanged(tx, prepared.account)
    const previous = await findPresentedSession(ctx, tx)
    const account = await replacePassword(ctx, tx, ctx.user.id, {
      passwordHash: prepared.passwordHash,
      cause: 'change-password',
    })
    await sendPasswordChanged(ctx, tx, ctx.user, { byReset: false })
    const started = await startSession(ctx, tx, keptByNewSignIn(previous ?? ctx.session))
    return { events: [{ action: 'change-password' }], result: { ...started, account } }
  },
  async answer({ ctx, result: { session, token, account } }) {
    setSessionCookie(ctx, token, session)
    rememberDevice(ctx, account)
    await resetSignInThrottle(ctx, 'unknown', ctx.user.email, account)
    return { token: session.handle, user: presentUser(ctx.user) }
  },
})
