import { sendSupportAct } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { assertPasswordAllowed } from '../password-strength/password-rules.ts'
import { assertUnlocked } from '../users/lock-user.ts'
import { replacePassword } from '../users/replace-password.ts'
import { setUserPasswordInput } from './contract.ts'
import { asOperator, assertNotOneself, requireUser, toActor } from './operator.ts'

/** Ends the sessions, device trust and links of the user, holds withdrawals and mails the user. PASSWORD_TOO_SHORT and the like, ACCOUNT_LOCKED. */
export const setUserPassword = customMutation({
  access: 'user:set-password',
  sensitive: true,
  input: setUserPasswordInput,
  limit: null,
  lock: 'own',
  events: ['set-password'],
  mails: ['support-act'],
  cookies: [],

  async run({ ctx, input: { userId, newPassword, reason } }) {
    assertNotOneself(ctx, userId)
    const owner = await requireUser({ ctx }, userId)
    await assertPasswordAllowed(newPassword, { ...owner, appName: ctx.settings.appName }, 'newPassword')
    const passwordHash = await ctx.passwords.hash(newPassword)
    const operator = asOperator<'set-password', 'support-act'>(ctx, 'user:set-password')
    await ctx.db.$transaction(async (tx) => {
      await operator.lockSubject(tx, userId)
      const user = await tx.user.findUniqueOrThrow({ where: { id: userId } })
      assertUnlocked(user)
      await replacePassword(ctx, tx, userId, { passwordHash, cause: 'operator' })
      await ctx.record(tx, { userId, ...toActor(operator), action: 'set-password', details: { reason } })
      await sendSupportAct(ctx, tx, user, { act: 'password-set', until: null })
    })
    return { status: true as const }
  },
})
