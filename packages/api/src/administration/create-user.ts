import { AppError } from '../kernel/errors.ts'
import { sendVerificationLink } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { assertPasswordAllowed } from '../password-strength/password-rules.ts'
import { buildUnverifiedUser } from '../users/build-unverified-user.ts'
import { createUserInput } from './contract.ts'
import { presentFoundUser } from './find-users.ts'
import { asOperator, requireUser, toActor } from './operator.ts'

/**
 * Creates a user and mails the link that verifies the email. Without a password, the user then chooses one.
 * USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL; ADMINISTRATOR_FACTOR_REQUIRED for a role of an administrator.
 */
export const createUser = customMutation({
  access: 'user:create',
  sensitive: true,
  input: createUserInput,
  limit: null,
  lock: 'own',
  events: ['create-user'],
  mails: ['verify-email'],
  cookies: [],

  async run({ ctx, input: { email, name, password, role, data, reason } }) {
    if (role !== 'user') throw new AppError('ADMINISTRATOR_FACTOR_REQUIRED')
    if (password !== undefined) await assertPasswordAllowed(password, { email, name, appName: ctx.settings.appName }, 'password')
    const passwordHash = password === undefined ? null : await ctx.passwords.hash(password)
    const { locale, ...profile } = data
    const built = buildUnverifiedUser(ctx, { email, name, ...profile })
    const user = { ...built, ...(locale !== undefined && { locale }) }
    const operator = asOperator<'create-user', never>(ctx, 'user:create')
    await ctx.db.$transaction(async (tx) => {
      await operator.lockSubject(tx)
      const { count } = await tx.user.createMany({ data: user, skipDuplicates: true })
      if (count === 0) throw new AppError('USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL')
      await tx.account.create({ data: { userId: user.id, providerId: 'credential', accountId: user.id, passwordHash } })
      await sendVerificationLink(ctx, tx, user, { callbackURL: undefined, pending: null })
      const details = { reason, hasPassword: passwordHash !== null }
      await ctx.record(tx, { userId: user.id, ...toActor(operator), action: 'create-user', details })
    })
    return { user: presentFoundUser(await requireUser({ ctx }, user.id)) }
  },
})
