import { forgetDevices } from '../known-devices/known-device.ts'
import { customMutation } from '../mutation.ts'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { describeSession } from '../sessions/present-session.ts'
import { administratorProcedure } from '../trpc.ts'
import { revokeUserSessionInput, userOfAdministratorInput } from './contract.ts'
import { asOperator, type Operator, type Reader, requireUser, toActor } from './operator.ts'

export async function findUserSessions(reader: Reader, identifier: string) {
  const { id: userId } = await requireUser(reader, identifier)
  const sessions = await reader.ctx.db.session.findMany({
    where: { userId, expiresAt: { gt: new Date() } },
    orderBy: { createdAt: 'desc' },
  })
  return sessions.map(describeSession)
}

/** Ends all sessions, pending sign-ins and device trust, or only the session `handle` and its device. USER_NOT_FOUND. */
export async function endUserSessions(
  operator: Operator<'revoke-session', never>,
  identifier: string,
  handle?: string,
): Promise<{ revoked: number }> {
  const { id: userId } = await requireUser(operator, identifier)
  return operator.ctx.db.$transaction(async (tx) => {
    await operator.lockSubject(tx, userId)
    const selected = { userId, ...(handle !== undefined && { handle }) }
    await tx.trustedDevice.deleteMany({
      where: { userId, ...(handle !== undefined && { sessions: { some: selected } }) },
    })
    const { count } = await tx.session.deleteMany({ where: selected })
    if (handle === undefined) {
      await voidOneTimeTokens(tx, userId, ['two-factor'])
      await forgetDevices(tx, userId)
    }
    if (count > 0 || handle === undefined)
      await operator.ctx.record(tx, {
        userId,
        ...toActor(operator),
        action: 'revoke-session',
        details: { count },
      })
    return { revoked: count }
  })
}

export const listUserSessions = administratorProcedure('session:list')
  .input(userOfAdministratorInput)
  .query(async ({ ctx, input }) => ({ sessions: await findUserSessions({ ctx }, input.userId) }))

const revocation = {
  access: 'session:revoke',
  sensitive: true,
  limit: null,
  lock: 'own',
  events: ['revoke-session'],
  mails: [],
  cookies: [],
} as const

/** Also ends the device's trust. An unknown session changes nothing: `revoked` is 0. A session gets another token with each proof. */
export const revokeUserSession = customMutation({
  ...revocation,
  input: revokeUserSessionInput,

  async run({ ctx, input: { sessionToken: handle } }) {
    const session = await ctx.db.session.findUnique({ where: { handle } })
    const revoked = session && (await endUserSessions(asOperator(ctx, 'session:revoke'), session.userId, handle)).revoked
    return { success: true as const, revoked: revoked ?? 0 }
  },
})

/** Also ends pending sign-ins and the trust of devices. USER_NOT_FOUND, ADMINISTRATOR_ROLE_REQUIRED. */
export const revokeUserSessions = customMutation({
  ...revocation,
  input: userOfAdministratorInput,

  async run({ ctx, input: { userId } }) {
    const { revoked } = await endUserSessions(asOperator(ctx, 'session:revoke'), userId)
    return { success: true as const, revoked }
  },
})
