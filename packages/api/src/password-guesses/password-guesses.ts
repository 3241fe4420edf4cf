import type { Account } from '@floorpass/db'
import type { Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { policy } from '../kernel/policy.ts'
import { findDeviceCounter } from '../known-devices/known-device.ts'
import { type Mails, sendPasswordPaused } from '../mail/notifications.ts'
import { lockUser } from '../users/lock-user.ts'

export type DeviceKind = 'known' | 'unknown'

export type RecordedGuess = { deviceKind: DeviceKind; isAllowed: boolean; isLast: boolean }

/** Each guess may be the last one: the owner is mailed then. */
export type GuessContext = Context & Records<'pause-password'> & Mails<'password-paused'>

type PasswordAccount = Pick<Account, 'id' | 'userId' | 'deviceEpoch'>

const counterFields = { known: 'knownGuesses', unknown: 'unknownGuesses' } as const

/** Counts before any hash runs, so that parallel guesses cannot exceed the limits (ADR 019). Throws TOO_MANY_REQUESTS. */
export async function recordSignInGuess(
  ctx: GuessContext,
  email: string,
  account: PasswordAccount | null,
): Promise<RecordedGuess> {
  const counter = account ? findDeviceCounter(ctx, account) : undefined
  // A device over its limit counts as unknown: a thief with its cookie must not lock out the owner.
  if (account && counter !== undefined && (await ctx.limiter.allows('sign-in:device', counter))) {
    const guess = await recordGuess(ctx, account, 'known')
    if (guess.isAllowed) return guess
  }
  await throttleSignIn(ctx, email)
  return account ? recordGuess(ctx, account, 'unknown') : { deviceKind: 'unknown', isAllowed: false, isLast: false }
}

const longWindows = ['sign-in:account-hour', 'sign-in:account-day'] as const

/** A used-up short window counts against the hour and the day. */
async function throttleSignIn(ctx: Context, email: string): Promise<void> {
  const shortWindow = await ctx.limiter.consume('sign-in:account', email)
  if (shortWindow?.remaining !== 0) return
  for (const window of longWindows) {
    const state = await ctx.limiter.consume(window, email)
    if (state?.remaining === 0) await ctx.limiter.block('sign-in:account', email, state.reset)
  }
}

export async function recordGuess(ctx: GuessContext, account: PasswordAccount, deviceKind: DeviceKind): Promise<RecordedGuess> {
  const { id } = account
  const max = policy.passwordGuesses[deviceKind]
  // Keep `updated_at`: the owner sees it as a change to the account.
  const [row] =
    deviceKind === 'known'
      ? await ctx.sql.$queryRaw<{ guesses: number }[]>`
          UPDATE accounts SET known_guesses = known_guesses + 1 WHERE id = ${id} AND known_guesses < ${max} RETURNING known_guesses AS guesses`
      : await ctx.sql.$queryRaw<{ guesses: number }[]>`
          UPDATE accounts SET unknown_guesses = unknown_guesses + 1 WHERE id = ${id} AND unknown_guesses < ${max} RETURNING unknown_guesses AS guesses`
  if (!row) await notifyOwner(ctx, account, deviceKind)
  return { deviceKind, isAllowed: row !== undefined, isLast: row?.guesses === max }
}

/** The counter moves one above the limit, so that only one call notifies. */
export async function notifyOwner(
  ctx: GuessContext,
  { id, userId }: Pick<Account, 'id' | 'userId'>,
  deviceKind: DeviceKind,
): Promise<void> {
  const [counter, max] = [counterFields[deviceKind], policy.passwordGuesses[deviceKind]]
  await ctx.db.$transaction(async (tx) => {
    await lockUser(tx, userId)
    const { count } = await tx.account.updateMany({
      where: { id, [counter]: max, passwordHash: { not: null }, user: { emailVerified: true, suspendedAt: null } },
      data: { [counter]: max + 1 },
    })
    if (count === 0) return
    await ctx.record(tx, { userId, action: 'pause-password', details: { place: deviceKind } })
    await sendPasswordPaused(ctx, tx, await tx.user.findUniqueOrThrow({ where: { id: userId } }), deviceKind)
  })
}

/** A right password from a known device must not reset the count of an attacker on unknown devices. */
export const clearedFailures = (deviceKind: DeviceKind): { knownGuesses: 0; unknownGuesses?: 0 } =>
  deviceKind === 'known' ? { knownGuesses: 0 } : { knownGuesses: 0, unknownGuesses: 0 }

export async function resetSignInThrottle(
  ctx: Context,
  deviceKind: DeviceKind,
  email: string,
  account: Pick<Account, 'id' | 'deviceEpoch'>,
): Promise<void> {
  const counter = findDeviceCounter(ctx, account)
  if (counter !== undefined) await ctx.limiter.reset('sign-in:device', counter)
  if (deviceKind === 'known') return
  for (const window of ['sign-in:account', ...longWindows] as const) await ctx.limiter.reset(window, email)
}
