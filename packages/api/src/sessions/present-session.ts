import type { Session, User } from '@floorpass/db'

/** A user as every answer shows them. */
export const presentUser = (user: User) => ({
  id: user.id,
  name: user.name,
  email: user.email,
  emailVerified: user.emailVerified,
  image: user.image,
  createdAt: user.createdAt,
  updatedAt: user.updatedAt,
  twoFactorEnabled: user.twoFactorEnabled,
  tradingEnabled: user.tradingEnabled,
  riskLevel: user.riskLevel,
})

/** A session as every answer shows it. `token` is the name by which it is revoked: clients expect the key, no secret is in it. */
export const presentSession = (session: Session) => ({
  id: session.handle,
  token: session.handle,
  userId: session.userId,
  expiresAt: session.expiresAt,
  createdAt: session.createdAt,
  updatedAt: session.updatedAt,
  ipAddress: session.ipAddress,
  userAgent: session.userAgent,
  activeOrganizationId: session.activeOrganizationId,
})
