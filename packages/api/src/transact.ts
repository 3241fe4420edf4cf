import type { Transaction } from '@floorpass/db'
import type { AuditAction, AuditEntry, Records } from './audit-log/audit-log.ts'
import type { Context } from './context.ts'
import type { AppError } from './kernel/errors.ts'
import type { ActiveSession } from './sessions/session-cache.ts'

/** In a session, the user of an event is the caller unless the event names another. */
export type Event<Ctx, Action extends AuditAction> = Ctx extends ActiveSession
  ? Omit<AuditEntry<Action>, 'userId'> & { userId?: string }
  : AuditEntry<Action>

/** A `refusal` is thrown after the commit, for failures that must be counted. */
export type Changed<Ctx, Action extends AuditAction, Result> = { events: readonly Event<Ctx, Action>[] } & (
  | { result: Result }
  | { refusal: AppError }
)

/** Locks, changes, records the events and commits. Lock users first, to avoid deadlocks. */
export async function transact<Ctx extends Context, Action extends AuditAction, Result, Locked = unknown>(
  ctx: Ctx & Records<Action>,
  lock: (tx: Transaction) => Promise<Locked>,
  change: (tx: Transaction, locked: Locked) => Promise<Changed<Ctx, Action, Result>>,
): Promise<Result> {
  const changed = await ctx.db.$transaction(async (tx) => {
    const done = await change(tx, await lock(tx))
    await ctx.record(tx, ...done.events.map((event) => withUser(ctx, event as Partial<AuditEntry<Action>>)))
    return done
  })
  if ('refusal' in changed) throw changed.refusal
  return changed.result
}

const withUser = <Action extends AuditAction>(ctx: Context & Partial<ActiveSession>, event: Partial<AuditEntry<Action>>) =>
  ({ userId: ctx.user?.id, ...event }) as AuditEntry<Action>
