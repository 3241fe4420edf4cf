/** Reports committed session and user changes of every process, which database triggers send (migration `session_changes`). */
export type ChangeChannel = {
  /** False when the listener may have missed a change for longer than `ChannelTimes.silence`. */
  isCurrent(): boolean
  /** Resolves when all changes committed before the call were delivered, or the channel is down. Never rejects. */
  flush(): Promise<void>
  close(): Promise<void>
}

export type ChangeListener = {
  /** `session:<id>`, `user:<id>`, `key:<id>`, or `all`. */
  onChange(change: string): void
  /** Changes arrive from now on. Rows read before may be stale. */
  onUp(): void
  /** Changes may be missed. Called once per loss, and again when the reason changes. */
  onDown(reason: string): void
  /** The feed of events has grown. */
  onEvents?(): void
}

export const channelName = 'floorpass_sessions'
/** Separate: a process of the previous release would forget all sessions at a change that it does not know. */
export const eventsChannelName = 'floorpass_events'

/** Milliseconds. */
export type ChannelTimes = {
  heartbeat: number
  /** The hard bound: nothing counts as current when the last heartbeat started longer ago. */
  silence: number
  /** The longest that a mutation waits for `flush`. */
  settling: number
  patience: number
  /** Pauses between attempts to connect. They double after each failure. */
  retry: { first: number; longest: number }
}

export const channelTimes: ChannelTimes = {
  heartbeat: 1_000,
  silence: 3_000,
  settling: 2_000,
  patience: 5_000,
  retry: { first: 100, longest: 5_000 },
}
