import { type Session, shownOf, type User } from '@floorpass/db'
import { describeDevice } from './describe-device.ts'

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

/** A session as every answer shows it. `id` and `token` are its handle, which names it for a revocation and opens nothing. */
export const presentSession = (session: Session) => ({ id: session.handle, token: session.handle, ...shownOf(session) })

/** A session as lists, the export and the operator show it: with its device. */
export const describeSession = (session: Session) => ({
  ...presentSession(session),
  ...describeDevice(session.userAgent),
  lastSeenAt: session.lastSeenAt,
  trusted: session.trustedDeviceId !== null,
})
