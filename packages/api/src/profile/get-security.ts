import type { Database } from '@floorpass/db'
import { sessionProcedure } from '../trpc.ts'
import { securityScore } from './security-score.ts'

const passwordActions = ['sign-up', 'set-password', 'change-password', 'reset-password']

export const getSecurity = sessionProcedure.query(async ({ ctx }) => {
  const { db, user, session } = ctx
  const [passkeys, accounts, backupCodesLeft, mostIdle, password] = await Promise.all([
    db.passkey.count({ where: { userId: user.id } }),
    db.account.count({ where: { userId: user.id } }),
    db.backupCode.count({ where: { userId: user.id, usedAt: null } }),
    db.session.findFirst({
      where: { userId: user.id, id: { not: session.id }, expiresAt: { gt: new Date() } },
      orderBy: { lastSeenAt: 'asc' },
      select: { lastSeenAt: true },
    }),
    findPasswordDate(db, user.id),
  ])
  return securityScore({
    emailVerified: user.emailVerified,
    hasPasskey: passkeys > 0 || ctx.settings.passkeys === null,
    hasPasskeyOnly: passkeys > 0 && accounts === 0,
    twoFactorEnabled: user.twoFactorEnabled,
    backupCodesLeft,
    longestIdle: mostIdle && secondsSince(mostIdle.lastSeenAt),
    passwordAge: password && secondsSince(password),
  })
})

const secondsSince = (moment: Date): number => (Date.now() - moment.getTime()) / 1000

async function findPasswordDate(db: Database, userId: string): Promise<Date | null> {
  const account = await db.account.findFirst({ where: { userId, passwordHash: { not: null } }, select: { createdAt: true } })
  if (!account) return null
  // A failed attempt is rare: a short read of the index for each action. Together they would read all events of the user.
  const changes = await db.$queryRaw<{ createdAt: Date }[]>`
    SELECT newest.created_at AS "createdAt" FROM unnest(${passwordActions}::text[]) AS wanted(action) CROSS JOIN LATERAL (
      SELECT created_at FROM audit_events
      WHERE user_id = ${userId} AND action = wanted.action AND succeeded ORDER BY id DESC LIMIT 1
    ) newest ORDER BY 1 DESC LIMIT 1`
  const changedAt = changes[0]?.createdAt
  return changedAt && changedAt > account.createdAt ? changedAt : account.createdAt
}
