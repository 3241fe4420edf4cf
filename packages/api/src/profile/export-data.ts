import { isByAnother, recordAuditEventIfKnown } from '../security/audit-log.ts'
import { describeDevice } from '../sessions/describe-device.ts'
import { presentSession, presentUser } from '../sessions/present-session.ts'
import { assertFresh, sessionProcedure } from '../trpc.ts'

/** Everything held on the caller, to take along (GDPR article 20), without a secret in it. SESSION_NOT_FRESH. */
export const exportData = sessionProcedure.query(async ({ ctx }) => {
  assertFresh(ctx.session)
  const userId = ctx.user.id
  await ctx.limiter.consume('export-data:user', userId)
  const { db, user } = ctx
  const [accounts, sessions, memberships, invitations, trustedDevices, twoFactor, backupCodes, activity] = await db.$transaction([
    db.account.findMany({ where: { userId } }),
    db.session.findMany({ where: { userId } }),
    db.member.findMany({ where: { userId }, include: { organization: true } }),
    db.invitation.findMany({ where: { OR: [{ email: user.email }, { inviterId: userId }] } }),
    db.trustedDevice.findMany({ where: { userId } }),
    db.twoFactor.findUnique({ where: { userId } }),
    db.backupCode.count({ where: { userId, usedAt: null } }),
    db.auditEvent.findMany({ where: { userId }, orderBy: { createdAt: 'desc' } }),
  ])
  await recordAuditEventIfKnown(db, ctx.client, { userId, action: 'export-data' })

  return {
    exportedAt: new Date(),
    user: { ...presentUser(user), locale: user.locale },
    accounts: accounts.map(({ id, providerId, accountId, scopes, passwordHash, lastUsedAt, createdAt }) => ({
      id,
      providerId,
      accountId,
      scopes,
      hasPassword: passwordHash !== null,
      lastUsedAt,
      createdAt,
    })),
    sessions: sessions.map((session) => ({
      ...presentSession(session),
      ...describeDevice(session.userAgent),
      lastSeenAt: session.lastSeenAt,
    })),
    organizations: memberships.map(({ role, createdAt, organization }) => ({
      id: organization.id,
      name: organization.name,
      slug: organization.slug,
      role,
      joinedAt: createdAt,
    })),
    invitations: invitations.map(({ id, organizationId, email, role, status, createdAt, expiresAt }) => ({
      id,
      organizationId,
      email,
      role,
      status,
      createdAt,
      expiresAt,
    })),
    twoFactor: { enabled: user.twoFactorEnabled, since: twoFactor?.confirmedAt ?? null, backupCodesLeft: backupCodes },
    trustedDevices: trustedDevices.map(({ id, ipAddress, userAgent, createdAt, lastUsedAt, expiresAt }) => ({
      id,
      ...describeDevice(userAgent),
      ipAddress,
      userAgent,
      createdAt,
      lastUsedAt,
      expiresAt,
    })),
    activity: activity.map(({ id, userId: owner, actorId, action, succeeded, ipAddress, userAgent, details, createdAt }) => ({
      id,
      action,
      succeeded,
      ...(isByAnother({ userId: owner, actorId }) ? { ipAddress: '', userAgent: '' } : { ipAddress, userAgent }),
      details,
      createdAt,
    })),
  }
})
