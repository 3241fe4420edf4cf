import { isLocked } from '../kernel/account-protection.ts'
import { presentFoundUser } from './find-users.ts'
import { type Reader, requireUser } from './operator.ts'

export async function showUser(reader: Reader, identifier: string) {
  const { db } = reader.ctx
  const user = await requireUser(reader, identifier)
  const userId = user.id
  const [accounts, sessions, devices, memberships, twoFactor, backupCodes, passkeys] = await db.$transaction([
    db.account.findMany({ where: { userId }, orderBy: { createdAt: 'asc' } }),
    db.session.count({ where: { userId, expiresAt: { gt: new Date() } } }),
    db.trustedDevice.count({ where: { userId, expiresAt: { gt: new Date() } } }),
    db.member.findMany({ where: { userId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }], include: { organization: true } }),
    db.twoFactor.findUnique({ where: { userId } }),
    db.backupCode.count({ where: { userId, usedAt: null } }),
    db.passkey.count({ where: { userId } }),
  ])
  return {
    ...presentFoundUser(user),
    locale: user.locale,
    lock: isLocked(user)
      ? { kind: user.lockKind, since: user.lockedAt, unlockDays: user.unlockDays, unlockAt: user.unlockAt }
      : null,
    accounts: accounts.map(({ providerId, accountId, passwordHash, lastUsedAt, createdAt }) => ({
      providerId,
      accountId,
      hasPassword: passwordHash !== null,
      lastUsedAt,
      createdAt,
    })),
    twoFactor: twoFactor && {
      since: twoFactor.confirmedAt,
      failedAttempts: twoFactor.failedAttempts,
      lockedUntil: twoFactor.lockedUntil,
      backupCodesLeft: backupCodes,
    },
    passkeys,
    sessions,
    trustedDevices: devices,
    organizations: memberships.map(({ role, organization }) => ({ id: organization.id, slug: organization.slug, role })),
  }
}
