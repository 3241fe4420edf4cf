import { AppError } from '../kernel/errors.ts'
import { sendEmailChange, sendSupportAct } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { assertUnlocked } from '../users/lock-user.ts'
import { assertNoOpenUndo } from '../users/open-undo.ts'
import { updateUserOfAdministratorInput } from './contract.ts'
import { presentFoundUser } from './find-users.ts'
import { asOperator, assertNotOneself, requireUser, toActor } from './operator.ts'

const updatable = ['name', 'image', 'locale', 'email']

/**
 * Changes the profile of a user and mails the user. The email changes when the person opens the link that is mailed to the new address.
 * NO_DATA_TO_UPDATE, FIELD_NOT_ALLOWED, EMAIL_IS_THE_SAME, EMAIL_TAKEN, EMAIL_RECENTLY_CHANGED, ACCOUNT_LOCKED, USER_NOT_FOUND.
 */
export const updateUserOfAdministrator = customMutation({
  access: 'user:update',
  sensitive: true,
  input: updateUserOfAdministratorInput,
  limit: null,
  lock: 'own',
  events: ['update-user', 'request-email-change'],
  mails: ['support-act', 'change-email-confirm', 'email-change-requested'],
  cookies: [],

  async run({ ctx, input: { userId, data, reason } }) {
    assertNotOneself(ctx, userId)
    if (Object.hasOwn(data, 'id')) throw new AppError('USER_ID_CANNOT_BE_UPDATED')
    if (Object.hasOwn(data, 'password')) throw new AppError('PASSWORD_CANNOT_BE_UPDATED_VIA_UPDATE_USER')
    if (!Object.keys(data).every((field) => updatable.includes(field)))
      throw new AppError('FIELD_NOT_ALLOWED', { message: 'Only name, image, locale and email can be set' })
    const { name, image, locale, email: newEmail } = data
    const entries = Object.entries({ name, image, locale }).filter(([, value]) => value !== undefined)
    if (entries.length === 0 && newEmail === undefined) throw new AppError('NO_DATA_TO_UPDATE')
    const operator = asOperator<'update-user' | 'request-email-change', 'support-act'>(ctx, 'user:update')
    await ctx.db.$transaction(async (tx) => {
      await operator.lockSubject(tx, userId)
      const actor = { userId, ...toActor(operator) }
      const user = await tx.user.findUniqueOrThrow({ where: { id: userId } })
      if (entries.length > 0) {
        await tx.user.update({ where: { id: userId }, data: Object.fromEntries(entries) })
        const details = { fields: entries.map(([field]) => field).join(','), reason }
        await ctx.record(tx, { ...actor, action: 'update-user', details })
        await sendSupportAct(ctx, tx, user, { act: 'updated', until: null })
      }
      if (newEmail === undefined) return
      assertUnlocked(user)
      if (user.role !== null)
        throw new AppError('FIELD_NOT_ALLOWED', { message: 'Take the role away before you change this email' })
      // Two changes would give the first new mailbox the undo link, which removes recent factors.
      await assertNoOpenUndo(tx, userId)
      if (newEmail === user.email) throw new AppError('EMAIL_IS_THE_SAME')
      if ((await tx.user.count({ where: { email: newEmail } })) > 0) throw new AppError('EMAIL_TAKEN')
      await sendEmailChange(ctx, tx, user, { newEmail, callbackURL: undefined, isFree: true })
      await ctx.record(tx, { ...actor, action: 'request-email-change', details: { reason } })
    })
    return presentFoundUser(await requireUser({ ctx }, userId))
  },
})
