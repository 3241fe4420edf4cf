import type { Account } from '@floorpass/db'
import type { Context } from '../context.ts'
import { policy } from '../policy.ts'
import { findMark } from './known-device.ts'

/** Where a password comes from: a device or session that the account's owner opened before, or anywhere else. */
export type Place = 'known' | 'unknown'

/** One guess that was counted before it is judged. `isLast`: it used up what its place has. */
export type Guess = { place: Place; mayCount: boolean; isLast: boolean }

type PasswordAccount = Pick<Account, 'id' | 'userId' | 'passwordHash' | 'updatedAt'>

const counters = { known: 'knownGuesses', unknown: 'unknownGuesses' } as const

/**
 * Counts a sign-in's password against its account before any hash runs, so that of any number of parallel guesses no more than the
 * limits allow are compared. Guesses from unknown places wait for each other, never for the owner's devices (ADR 019). Null is an
 * unknown address: it has the same limits. TOO_MANY_REQUESTS.
 */
export async function countSignIn(ctx: Context, email: string, account: PasswordAccount | null): Promise<Guess> {
  const mark = account ? findMark(ctx, account) : undefined
  if (account && mark !== undefined) {
    await ctx.limiter.consume('sign-in:device', mark)
    const guess = await countGuess(ctx, account, 'known')
    if (guess.mayCount) return guess
  }
  await ctx.limiter.consume('sign-in:account', email)
  await ctx.limiter.consume('sign-in:account-hour', email)
  await ctx.limiter.consume('sign-in:account-day', email)
  return account ? countGuess(ctx, account, 'unknown') : { place: 'unknown', mayCount: false, isLast: false }
}

/** One conditional UPDATE: the count in the row is exact, and outlives every window, process and rolled-back request. */
export async function countGuess(ctx: Context, { id, updatedAt }: PasswordAccount, place: Place): Promise<Guess> {
  const [counter, most] = [counters[place], policy.passwordGuesses[place]]
  const [row] = await ctx.db.account.updateManyAndReturn({
    where: { id, [counter]: { lt: most } },
    // A guess is no change of the account: its owner sees this date.
    data: { [counter]: { increment: 1 }, updatedAt },
  })
  return { place, mayCount: row !== undefined, isLast: row?.[counter] === most }
}

/** What a right password sets back: a stranger's guesses only when it came from where strangers guess. */
export const clearedGuesses = (place: Place): { knownGuesses: 0; unknownGuesses?: 0 } =>
  place === 'known' ? { knownGuesses: 0 } : { knownGuesses: 0, unknownGuesses: 0 }

/** The windows that go with `clearedGuesses`. */
export async function forgetWindows(ctx: Context, place: Place, email: string, account: PasswordAccount): Promise<void> {
  const mark = findMark(ctx, account)
  if (mark !== undefined) await ctx.limiter.reset('sign-in:device', mark)
  if (place === 'known') return
  for (const limit of ['sign-in:account', 'sign-in:account-hour', 'sign-in:account-day'] as const)
    await ctx.limiter.reset(limit, email)
}
