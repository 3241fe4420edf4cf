import type { Account, Transaction } from '@floorpass/db'
import { type CookieScope, type FlowCookie, readFlowCookie, type SetsCookies, setFlowCookie } from '../cookies/flow-cookie.ts'
import { policy } from '../kernel/policy.ts'
import { createToken } from '../kernel/random-token.ts'
import type { SecretBox } from '../kernel/secret-box.ts'

export type DeviceAccount = Pick<Account, 'id' | 'deviceEpoch'>

export type DeviceScope = CookieScope & { secretBox: SecretBox }

type AccountMark = { accountId: string; epoch: number; issuedAt: number; counter: string }

const { accountsPerDevice, deviceLifetime } = policy.passwordGuesses
const cookie = { name: 'known_device', lifetime: deviceLifetime } as const satisfies FlowCookie<'known_device'>

/** Grants a browser its own guess counter (ADR 019; OWASP device cookies). Survives a password change. */
export function rememberDevice(ctx: DeviceScope & SetsCookies<'known_device'>, { id, deviceEpoch }: DeviceAccount): void {
  const marks = readMarks(ctx)
  const counter = findDeviceCounter(ctx, { id, deviceEpoch }) ?? createToken()
  const mark: AccountMark = { accountId: id, epoch: deviceEpoch, issuedAt: Date.now(), counter }
  const updated = [mark, ...marks.filter(({ accountId }) => accountId !== id)].slice(0, accountsPerDevice)
  setFlowCookie(ctx, cookie, ctx.secretBox.seal(JSON.stringify({ marks: updated }), [cookie.name]))
}

export const findDeviceCounter = (ctx: DeviceScope, { id, deviceEpoch }: DeviceAccount): string | undefined =>
  readMarks(ctx).find(({ accountId, epoch }) => accountId === id && epoch === deviceEpoch)?.counter

export const findDeviceAccount = (ctx: DeviceScope): string | undefined => readMarks(ctx)[0]?.accountId

/** Use it only when an attacker may have a known device. */
export async function forgetDevices(tx: Transaction, userId: string): Promise<void> {
  await tx.account.updateMany({ where: { userId, providerId: 'credential' }, data: { deviceEpoch: { increment: 1 } } })
}

function readMarks(ctx: DeviceScope): AccountMark[] {
  const sealed = readFlowCookie(ctx, cookie)
  if (sealed === undefined) return []
  try {
    const { marks } = JSON.parse(ctx.secretBox.open(sealed, [cookie.name])) as { marks: AccountMark[] }
    const oldest = Date.now() - deviceLifetime * 1000
    return marks.filter(({ issuedAt }) => issuedAt > oldest)
  } catch {
    // Altered or sealed with a retired secret: treat the device as unknown.
    return []
  }
}
