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
  const event = await db.auditEvent.findFirst({
    where: { userId, action: { in: passwordActions }, succeeded: true },
    orderBy: { id: 'desc' },
    select: { createdAt: true },
  })
  return event && event.createdAt > account.createdAt ? event.createdAt : account.createdAt
}
