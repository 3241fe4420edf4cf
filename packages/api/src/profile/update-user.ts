import { AppError } from '../kernel/errors.ts'
import { customMutation } from '../mutation.ts'
import { isReauthenticated } from '../reauthentication/reauthentication.ts'
import { assertSessionLive, lockCaller, lockUser, requireUnlocked } from '../users/lock-user.ts'
import { updateUserInput } from './contract.ts'

const serverManaged = [
  'id',
  'emailVerified',
  'role',
  'banned',
  'suspendedAt',
  'twoFactorEnabled',
  'passwordHash',
  'organizationId',
  'createdAt',
  'updatedAt',
]

/** Updates the caller's profile, and records the names of the fields that change. SESSION_NOT_FRESH or ACCOUNT_LOCKED to enable trading or raise the risk level; FIELD_NOT_ALLOWED. */
export const updateUser = customMutation({
  access: 'session',
  sensitive: 'in-part',
  input: updateUserInput,
  limit: 'update-user:user',
  lock: 'own',
  events: ['update-user'],
  mails: [],
  cookies: [],

  async run({ ctx, input }) {
    if ('email' in input) throw new AppError('EMAIL_CAN_NOT_BE_UPDATED')
    const forbidden = serverManaged.find((field) => field in input)
    if (forbidden) throw new AppError('FIELD_NOT_ALLOWED', { message: `${forbidden} is not allowed to be set` })

    const { name, image, tradingEnabled, riskLevel, locale } = input
    const entries = Object.entries({ name, image, tradingEnabled, riskLevel, locale }).filter(([, value]) => value !== undefined)
    if (entries.length === 0) throw new AppError('NO_FIELDS_TO_UPDATE')
    // Forms also send unchanged fields, so the row decides whether the change lowers protection.
    const canLowerProtection = isReauthenticated(ctx.session)

    // Names only: the values are personal.
    const changed = entries.filter(([field, value]) => value !== ctx.user[field as keyof typeof ctx.user]).map(([field]) => field)
    const hasImage = image !== undefined
    const now = new Date()
    await ctx.sql.transaction(async (tx) => {
      // The statements are pipelined; an error rolls back all. Null keeps a column, except the image, which can be removed.
      const [, updated] = await Promise.all([
        lockUser(tx, ctx.user.id),
        tx.$queryRaw<unknown[]>`
          UPDATE users SET name = coalesce(${name ?? null}, name),
                           image = CASE WHEN ${hasImage}::boolean THEN ${image ?? null} ELSE image END,
                           trading_enabled = coalesce(${tradingEnabled ?? null}, trading_enabled),
                           risk_level = coalesce(CAST(${riskLevel ?? null}::text AS risk_level), risk_level),
                           locale = coalesce(${locale ?? null}, locale),
                           updated_at = ${now}
          WHERE id = ${ctx.user.id} AND suspended_at IS NULL
            AND (${canLowerProtection}::boolean AND (locked_at IS NULL OR unlock_at <= ${now})
              OR (trading_enabled OR ${tradingEnabled !== true}::boolean)
                AND risk_level >= coalesce(CAST(${riskLevel ?? null}::text AS risk_level), risk_level))
          RETURNING id`,
        assertSessionLive(tx, ctx.session),
        ...(changed.length > 0
          ? [ctx.record(tx, { userId: ctx.user.id, action: 'update-user', details: { fields: changed.join(',') } })]
          : []),
      ])
      if (updated.length > 0) return
      await lockCaller(tx, ctx)
      await requireUnlocked(tx, ctx.user.id)
      throw new AppError('SESSION_NOT_FRESH')
    })
    return { status: true as const }
  },
})
