import { describeDevice } from '../sessions/describe-device.ts'
import { sessionProcedure } from '../trpc.ts'
import { isThisDevice } from './trusted-device.ts'

export const listTrustedDevices = sessionProcedure.query(async ({ ctx }) => {
  const devices = await ctx.db.trustedDevice.findMany({
    where: { userId: ctx.user.id, expiresAt: { gt: new Date() } },
    orderBy: { createdAt: 'desc' },
  })
  return devices.map((device) => ({
    id: device.id,
    ...describeDevice(device.userAgent),
    ipAddress: device.ipAddress,
    userAgent: device.userAgent,
    createdAt: device.createdAt,
    lastUsedAt: device.lastUsedAt,
    expiresAt: device.expiresAt,
    current: isThisDevice(ctx, device),
  }))
})
