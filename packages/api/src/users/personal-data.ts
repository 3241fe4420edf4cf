import type { Database, User } from '@floorpass/db'
import { presentApiKey } from '../api-key-checks/present-api-key.ts'
import { isByAnother } from '../audit-log/audit-log.ts'
import { describeDevice } from '../sessions/describe-device.ts'
import { describeSession, presentUser } from '../sessions/present-session.ts'

const newestFirst = [{ createdAt: 'desc' as const }, { id: 'desc' as const }]

/** Returns all data of a user (GDPR article 20), without secrets and other people's data. */
export async function collectPersonalData(db: Database, user: User) {
  const userId = user.id
  const [
    accounts,
    sessions,
    memberships,
    invitations,
    passkeys,
    apiKeys,
    confirmations,
    trustedDevices,
    twoFactor,
    backupCodes,
    links,
    picture,
    activity,
    allowList,
    allowListEntries,
    holds,
  ] = await db.$transaction([
    db.account.findMany({ where: { userId }, orderBy: newestFirst }),
    db.session.findMany({ where: { userId }, orderBy: newestFirst }),
    db.member.findMany({ where: { userId }, orderBy: newestFirst, include: { organization: true } }),
    db.invitation.findMany({ where: { OR: [{ email: user.email }, { inviterId: userId }] }, orderBy: newestFirst }),
    db.passkey.findMany({ where: { userId }, orderBy: newestFirst }),
    db.apiKey.findMany({ where: { userId }, orderBy: newestFirst }),
    db.confirmation.findMany({ where: { userId }, orderBy: { id: 'desc' } }),
    db.trustedDevice.findMany({ where: { userId }, orderBy: newestFirst }),
    db.twoFactor.findUnique({ where: { userId } }),
    db.backupCode.count({ where: { userId, usedAt: null } }),
    db.verification.findMany({ where: { userId }, orderBy: newestFirst }),
    db.profilePicture.findUnique({ where: { userId } }),
    db.auditEvent.findMany({ where: { userId }, orderBy: { id: 'desc' } }),
    db.allowList.findUnique({ where: { userId } }),
    db.allowListEntry.findMany({ where: { userId }, orderBy: { id: 'desc' } }),
    db.hold.findMany({ where: { userId }, orderBy: { startedAt: 'desc' } }),
  ])

  return {
    exportedAt: new Date(),
    user: { ...presentUser(user), locale: user.locale },
    picture: picture && {
      type: 'image/webp',
      base64: Buffer.from(picture.content).toString('base64'),
      createdAt: picture.createdAt,
    },
    accounts: accounts.map(({ id, providerId, accountId, scopes, pictureUrl, passwordHash, lastUsedAt, createdAt }) => ({
      id,
      providerId,
      accountId,
      scopes,
      pictureUrl,
      hasPassword: passwordHash !== null,
      lastUsedAt,
      createdAt,
    })),
    sessions: sessions.map(describeSession),
    organizations: memberships.map(({ role, createdAt, acceptedAt, organization }) => ({
      id: organization.id,
      name: organization.name,
      slug: organization.slug,
      role,
      joinedAt: createdAt,
      acceptedAt,
    })),
    invitations: invitations.map(({ id, organizationId, email, role, status, inviterId, createdAt, expiresAt }) => ({
      id,
      organizationId,
      // The address of an invited person is that person's data.
      email: email === user.email ? email : null,
      sent: inviterId === userId,
      role,
      status,
      createdAt,
      expiresAt,
    })),
    passkeys: passkeys.map(({ id, name, credentialId, aaguid, isSyncable, backedUp, transports, createdAt, lastUsedAt }) => ({
      id,
      name,
      credentialId,
      aaguid,
      isSyncable,
      backedUp,
      transports,
      createdAt,
      lastUsedAt,
    })),
    apiKeys: apiKeys.map(presentApiKey),
    protection: {
      holds: holds.map(({ reason, startedAt, endsAt }) => ({ reason, startedAt, endsAt })),
      lock: user.lockedAt && {
        kind: user.lockKind,
        lockedAt: user.lockedAt,
        unlockDays: user.unlockDays,
        unlockAt: user.unlockAt,
      },
      hasPhrase: user.phraseSealed !== null,
    },
    allowList: {
      enabledAt: allowList?.enabledAt ?? null,
      endsAt: allowList?.endsAt ?? null,
      entries: allowListEntries.map(({ id, kind, value, label, createdAt, usableFrom }) => ({
        id,
        kind,
        value,
        label,
        createdAt,
        usableFrom,
      })),
    },
    confirmations: confirmations.map(({ userId: _, sessionHandle, canonical, assertion, failedAttempts, ...confirmation }) => ({
      ...confirmation,
      sessionId: sessionHandle,
      authorization_details: (JSON.parse(canonical) as { authorization_details: unknown }).authorization_details,
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
    links: links.map(({ purpose, email, createdAt, expiresAt, usedAt }) => ({ purpose, email, createdAt, expiresAt, usedAt })),
    activity: activity.map(({ id, userId: owner, actorId, action, succeeded, ipAddress, userAgent, details, createdAt }) => ({
      id,
      action,
      succeeded,
      ...(isByAnother({ userId: owner, actorId }) ? { ipAddress: '', userAgent: '' } : { ipAddress, userAgent }),
      details,
      createdAt,
    })),
  }
}
