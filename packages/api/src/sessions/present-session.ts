import { publicFields, type Session, type User } from '@floorpass/db'
import { describeDevice } from './describe-device.ts'

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
  heldUntil: user.heldUntil,
  role: user.role ?? 'user',
})

/** `id` and `token` are the handle, which can only revoke the session. */
export const presentSession = (session: Session) => ({ id: session.handle, token: session.handle, ...publicFields(session) })

export const describeSession = (session: Session) => ({
  ...presentSession(session),
  ...describeDevice(session.userAgent),
  nickname: session.nickname,
  lastSeenAt: session.lastSeenAt,
  trusted: session.trustedDeviceId !== null,
})
