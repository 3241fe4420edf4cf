import type { Account, Transaction } from '@floorpass/db'
import { type CookieScope, type FlowCookie, readFlowCookie, setFlowCookie } from '../cookies/flow-cookie.ts'
import { policy } from '../kernel/policy.ts'
import { createToken } from '../kernel/random-token.ts'
import type { SecretBox } from '../kernel/secret-box.ts'

/** The account that a device is known to. */
export type DeviceAccount = Pick<Account, 'id' | 'deviceEpoch'>

export type DeviceScope = CookieScope & { secretBox: SecretBox }

/** `counter` is random and names this browser's window; `issuedAt` is in milliseconds. */
type Mark = { accountId: string; epoch: number; issuedAt: number; counter: string }

const { accountsPerDevice, deviceLifetime } = policy.passwordGuesses
const cookie = { name: 'known_device', lifetime: deviceLifetime } as const satisfies FlowCookie

/**
 * Tells this browser from those that never signed in to the account (OWASP: device cookies). The cookie opens nothing: it only lets its
 * bearer guess on a counter of its own. Sealed in it is one mark for each of the last accounts. A mark outlives the password, so that
 * a new one leaves all devices known, and dies with the account's epoch or its own age; every sign-in renews it.
 */
export function rememberDevice(ctx: DeviceScope, { id, deviceEpoch }: DeviceAccount): void {
  const marks = readMarks(ctx)
  const counter = findCounter(ctx, { id, deviceEpoch }) ?? createToken()
  const mark: Mark = { accountId: id, epoch: deviceEpoch, issuedAt: Date.now(), counter }
  const kept = [mark, ...marks.filter(({ accountId }) => accountId !== id)].slice(0, accountsPerDevice)
  setFlowCookie(ctx, cookie, ctx.secretBox.seal(JSON.stringify({ marks: kept }), [cookie.name]))
}

/** The name of the counter that this browser has for the account; undefined when it is not known to it. */
export const findCounter = (ctx: DeviceScope, { id, deviceEpoch }: DeviceAccount): string | undefined =>
  readMarks(ctx).find(({ accountId, epoch }) => accountId === id && epoch === deviceEpoch)?.counter

/** The account that last signed in on this browser, as far as its cookie proves. */
export const findDeviceAccount = (ctx: DeviceScope): string | undefined => readMarks(ctx)[0]?.accountId

/** No device is known from now on: for who says that somebody else may have one, never for a mere new password. */
export async function forgetDevices(tx: Transaction, userId: string): Promise<void> {
  await tx.account.updateMany({ where: { userId, providerId: 'credential' }, data: { deviceEpoch: { increment: 1 } } })
}

function readMarks(ctx: DeviceScope): Mark[] {
  try {
    const { marks } = JSON.parse(ctx.secretBox.open(readFlowCookie(ctx, cookie) ?? '', [cookie.name])) as { marks: Mark[] }
    const oldest = Date.now() - deviceLifetime * 1000
    return marks.filter(({ issuedAt }) => issuedAt > oldest)
  } catch {
    // None, altered, or sealed with a secret that is no longer listed: the device is a new one.
    return []
  }
}
