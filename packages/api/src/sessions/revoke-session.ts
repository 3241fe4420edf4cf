import { forgetDevices, rememberDevice } from '../known-devices/known-device.ts'
import { mutation } from '../mutation.ts'
import { voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { findPasswordAccount } from '../password-guesses/password-account.ts'
import { revokeSessionInput } from './contract.ts'
import { clearSessionCookie } from './session-store.ts'

/** Spec: Sessions. Also ends the device's trust. An unknown or foreign handle changes nothing, with the same response. */
export const revokeSession = mutation({
  access: 'session',
  sensitive: false,
  input: revokeSessionInput,
  limit: null,
  events: ['revoke-session'],
  mails: [],
  cookies: ['session'],

  lock: 'caller',
  async change(tx, { ctx, input }) {
    const target = { handle: input.token, userId: ctx.user.id }
    await tx.trustedDevice.deleteMany({ where: { sessions: { some: target } } })
    const { count } = await tx.session.deleteMany({ where: target })
    return { events: count > 0 ? [{ action: 'revoke-session', details: { count } }] : [], result: null }
  },
  answer({ ctx, input }) {
    if (input.token === ctx.session.handle) clearSessionCookie(ctx)
    return { status: true as const }
  },
})

export const revokeSessions = mutation({
  access: 'session',
  sensitive: false,
  input: null,
  limit: null,
  events: ['revoke-session'],
  mails: [],
  cookies: ['session'],

  lock: 'caller',
  async change(tx, { ctx: { user } }) {
    await tx.trustedDevice.deleteMany({ where: { userId: user.id } })
    const { count } = await tx.session.deleteMany({ where: { userId: user.id } })
    await voidOneTimeTokens(tx, user.id, ['two-factor'])
    await forgetDevices(tx, user.id)
    return { events: [{ action: 'revoke-session', details: { count } }], result: null }
  },
  answer({ ctx }) {
    clearSessionCookie(ctx)
    return { status: true as const }
  },
})

export const revokeOtherSessions = mutation({
  access: 'session',
  sensitive: false,
  input: null,
  limit: null,
  events: ['revoke-session'],
  mails: [],
  cookies: ['known_device'],

  lock: 'caller',
  async change(tx, { ctx: { session } }) {
    const { userId, trustedDeviceId } = await tx.session.findUniqueOrThrow({ where: { id: session.id } })
    const devices = await tx.trustedDevice.deleteMany({
      where: { userId, ...(trustedDeviceId !== null && { id: { not: trustedDeviceId } }) },
    })
    const { count } = await tx.session.deleteMany({ where: { userId, id: { not: session.id } } })
    await voidOneTimeTokens(tx, userId, ['two-factor'])
    await forgetDevices(tx, userId)
    return {
      events: count + devices.count > 0 ? [{ action: 'revoke-session', details: { count } }] : [],
      result: await findPasswordAccount(tx, userId),
    }
  },
  answer({ ctx, result: account }) {
    if (account) rememberDevice(ctx, account)
    return { status: true as const }
  },
})
