import { AppError } from '../errors.ts'
import { recordAuditEvent } from '../security/audit-log.ts'
import { lockCaller } from '../security/lock-user.ts'
import { isFresh, sessionProcedure } from '../trpc.ts'
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

/**
 * A signed-in user changes their name, picture, trading switch, risk level or language. Spec: Profile. Switching trading on needs a fresh
 * session. Fields that only the service sets are refused by name, others are ignored.
 */
export const updateUser = sessionProcedure.input(updateUserInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('update-user:user', ctx.user.id)
  if ('email' in input) throw new AppError('EMAIL_CAN_NOT_BE_UPDATED')
  const forbidden = serverManaged.find((field) => field in input)
  if (forbidden) throw new AppError('FIELD_NOT_ALLOWED', { message: `${forbidden} is not allowed to be set` })

  const { name, image, tradingEnabled, riskLevel, locale } = input
  const entries = Object.entries({ name, image, tradingEnabled, riskLevel, locale }).filter(([, value]) => value !== undefined)
  if (entries.length === 0) throw new AppError('NO_FIELDS_TO_UPDATE')
  // Without a fresh session a switch that is on may be sent along, as forms do; it is judged by the row, not by what was read before.
  const mustBeOn = tradingEnabled === true && !isFresh(ctx.session)

  await ctx.db.$transaction(async (tx) => {
    await lockCaller(tx, ctx)
    const { count } = await tx.user.updateMany({
      where: { id: ctx.user.id, ...(mustBeOn && { tradingEnabled: true }) },
      data: Object.fromEntries(entries),
    })
    if (count === 0) throw new AppError('SESSION_NOT_FRESH')
    const fields = entries.map(([field]) => field).join(',')
    await recordAuditEvent(tx, ctx.client, { userId: ctx.user.id, action: 'update-user', details: { fields } })
  })
  return { status: true as const }
})
