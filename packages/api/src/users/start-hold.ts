import type { Queryable } from '@floorpass/db'
import type { HoldReason } from '../kernel/policy.ts'
import type { Settings } from '../kernel/settings.ts'

/**
 * Holds withdrawals after a change that a thief could have made. Lock the user first.
 * An active hold keeps its start, so that a passkey from after the start never passes as older.
 */
export async function startHold(
  { settings: { protection } }: { settings: Pick<Settings, 'protection'> },
  tx: Queryable,
  userId: string,
  reason: HoldReason,
): Promise<void> {
  const now = new Date()
  const endsAt = new Date(now.getTime() + protection.holdHours[reason] * 3_600_000)
  await tx.$queryRaw`
    INSERT INTO holds AS hold (user_id, reason, started_at, ends_at) VALUES (${userId}, ${reason}, ${now}, ${endsAt})
    ON CONFLICT (user_id, reason) DO UPDATE SET
      started_at = CASE WHEN hold.ends_at > EXCLUDED.started_at THEN least(hold.started_at, EXCLUDED.started_at) ELSE EXCLUDED.started_at END,
      ends_at = greatest(hold.ends_at, EXCLUDED.ends_at)`
  await tx.$queryRaw`UPDATE users SET held_until = greatest(held_until, ${endsAt}::timestamp) WHERE id = ${userId}`
}
