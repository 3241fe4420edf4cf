/**
 * What was committed and matters to who keeps copies of rows: triggers tell it, in this process or any other (migration
 * `session_changes`).
 */
export type ChangeChannel = {
  /** False when something that was committed longer ago than the hard bound may have gone unheard. */
  isCurrent(): boolean
  /** Resolves once everything that was committed before the call has been heard, or the channel is known to be down. Never rejects. */
  settle(): Promise<void>
  close(): Promise<void>
}

/** Who hears it. */
export type ChangeListener = {
  /** `session:<id>`, `user:<id>`, or `all`. */
  onChange(change: string): void
  /** From now on everything is heard. What was read before may be stale. */
  onUp(): void
  /** Changes may go unheard. Called once for each loss, and again when the reason is another one. */
  onDown(reason: string): void
}

export const channelName = 'floorpass_sessions'

/** Milliseconds. */
export type ChannelTimes = {
  /** Between two heartbeats. */
  heartbeat: number
  /** The hard bound: with the last heartbeat begun longer ago, nothing counts as current. */
  silence: number
  /** What a mutation waits for: a slower proof ends the connection. */
  settling: number
  /** A step of connecting, or of a heartbeat, that takes longer ends the connection. */
  patience: number
  /** Between attempts to connect: twice as long after each one that failed. */
  retry: { first: number; longest: number }
}

export const channelTimes: ChannelTimes = {
  heartbeat: 1_000,
  silence: 3_000,
  settling: 2_000,
  patience: 5_000,
  retry: { first: 100, longest: 5_000 },
}
