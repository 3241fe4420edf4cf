import { mutation } from '../mutation.ts'
import { revokeTrustedDeviceInput } from './contract.ts'

/** Spec: Two-factor. An unknown or foreign id changes nothing, with the same response. */
export const revokeTrustedDevice = mutation({
  access: 'session',
  sensitive: false,
  input: revokeTrustedDeviceInput,
  limit: null,
  events: ['revoke-trusted-device'],
  mails: [],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx, input }) {
    const { count } = await tx.trustedDevice.deleteMany({ where: { id: input.id, userId: ctx.user.id } })
    return { events: count > 0 ? [{ action: 'revoke-trusted-device' }] : [], result: { status: true as const } }
  },
})
