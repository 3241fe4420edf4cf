import type { Account } from '@floorpass/db'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { policy } from '../kernel/policy.ts'
import { findCounter } from '../known-devices/known-device.ts'
import { sendPasswordPaused } from '../mail/notifications.ts'
import { lockUser } from '../users/lock-user.ts'

/** Where a password comes from: a device or session that the account's owner opened before, or anywhere else. */
export type Place = 'known' | 'unknown'

/** One guess that was counted before it is judged. `isLast`: it used up what its place has. */
export type Guess = { place: Place; mayCount: boolean; isLast: boolean }

type PasswordAccount = Pick<Account, 'id' | 'userId' | 'deviceEpoch'>

const counters = { known: 'knownGuesses', unknown: 'unknownGuesses' } as const

/**
 * Counts a sign-in's password against its account before any hash runs, so that of any number of parallel guesses no more than the
 * limits allow are compared. Guesses from unknown places wait for each other, never for the owner's devices (ADR 019). Null is an
 * unknown address: it has the same limits. TOO_MANY_REQUESTS.
 */
export async function countSignIn(ctx: Context, email: string, account: PasswordAccount | null): Promise<Guess> {
  const counter = account ? findCounter(ctx, account) : undefined
  // A device that used up its own tries is a stranger's: whoever copied its cookie must not shut out its owner.
  if (account && counter !== undefined && (await ctx.limiter.allows('sign-in:device', counter))) {
    const guess = await recordGuess(ctx, account, 'known')
    if (guess.mayCount) return guess
  }
  await throttleSignIn(ctx, email)
  return account ? recordGuess(ctx, account, 'unknown') : { place: 'unknown', mayCount: false, isLast: false }
}

const longWindows = ['sign-in:account-hour', 'sign-in:account-day'] as const

/**
 * The wait of strangers grows: what is left of ten minutes, of an hour, of a day. The long windows count short ones that were used up,
 * so that an address which is typed once leaves no record for a day.
 */
async function throttleSignIn(ctx: Context, email: string): Promise<void> {
  const turn = await ctx.limiter.consume('sign-in:account', email)
  if (turn?.remaining !== 0) return
  for (const window of longWindows) {
    const left = await ctx.limiter.consume(window, email)
    if (left?.remaining === 0) await ctx.limiter.block('sign-in:account', email, left.reset)
  }
}

/** One conditional UPDATE: the count in the row is exact, and outlives every window, process and rolled-back request. */
export async function recordGuess(ctx: Context, account: PasswordAccount, place: Place): Promise<Guess> {
  const { id } = account
  const most = policy.passwordGuesses[place]
  // A guess is no change of the account: its owner sees `updated_at`.
  const [row] =
    place === 'known'
      ? await ctx.sql.$queryRaw<{ guesses: number }[]>`
          UPDATE accounts SET known_guesses = known_guesses + 1 WHERE id = ${id} AND known_guesses < ${most} RETURNING known_guesses AS guesses`
      : await ctx.sql.$queryRaw<{ guesses: number }[]>`
          UPDATE accounts SET unknown_guesses = unknown_guesses + 1 WHERE id = ${id} AND unknown_guesses < ${most} RETURNING unknown_guesses AS guesses`
  // The request of the last guess may have ended before it told.
  if (!row) await notifyOwner(ctx, account, place)
  return { place, mayCount: row !== undefined, isLast: row?.guesses === most }
}

/** What is used up is the owner's to know of, once: the counter goes one beyond its limit in the transaction of the mail. */
export async function notifyOwner(ctx: Context, { id, userId }: Pick<Account, 'id' | 'userId'>, place: Place): Promise<void> {
  const [counter, most] = [counters[place], policy.passwordGuesses[place]]
  await ctx.db.$transaction(async (tx) => {
    await lockUser(tx, userId)
    const { count } = await tx.account.updateMany({
      where: { id, [counter]: most, passwordHash: { not: null }, user: { emailVerified: true, suspendedAt: null } },
      data: { [counter]: most + 1 },
    })
    if (count === 0) return
    await recordAuditEvent(tx, ctx.client, { userId, action: 'pause-password', details: { place } })
    await sendPasswordPaused(ctx, tx, await tx.user.findUniqueOrThrow({ where: { id: userId } }), place)
  })
  ctx.mail.wake()
}

/** What a right password sets back: a stranger's guesses only when it came from where strangers guess. */
export const clearedFailures = (place: Place): { knownGuesses: 0; unknownGuesses?: 0 } =>
  place === 'known' ? { knownGuesses: 0 } : { knownGuesses: 0, unknownGuesses: 0 }

/** The windows that go with `clearedFailures`. */
export async function forgetWindows(
  ctx: Context,
  place: Place,
  email: string,
  account: Pick<Account, 'id' | 'deviceEpoch'>,
): Promise<void> {
  const counter = findCounter(ctx, account)
  if (counter !== undefined) await ctx.limiter.reset('sign-in:device', counter)
  if (place === 'known') return
  for (const window of ['sign-in:account', ...longWindows] as const) await ctx.limiter.reset(window, email)
}
