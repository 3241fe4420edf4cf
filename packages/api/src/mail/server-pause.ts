import { policy } from '../kernel/policy.ts'

/** Pauses delivery while the mail server is unavailable, longer with each failure. */
export function createServerPause() {
  let failures = 0
  let pause = { from: 0, until: 0 }
  /** Next attempts that this process set. Another process may have claimed the mail since. */
  const postponed = new Map<string, Date>()

  return {
    /** While the server is suspected, one mail at a time probes it. */
    isSuspected: () => failures > 0,
    // A clock that steps back must not prolong the pause.
    isPaused: () => Date.now() < pause.until && Date.now() >= pause.from,
    /** Begins a pause. Returns null for the first failure, which may be the mail's. */
    begin(mailId: string): { seconds: number; nextAttemptAt: Date } | null {
      failures += 1
      if (failures === 1) return null
      const now = Date.now()
      const seconds = Math.min(policy.mail.firstRetry * 4 ** (failures - 2), policy.mail.longestPause)
      pause = { from: now, until: now + seconds * 1000 }
      // This mail waits longer, so that another one probes the server.
      const nextAttemptAt = new Date(now + 2 * seconds * 1000)
      postponed.set(mailId, nextAttemptAt)
      return { seconds, nextAttemptAt }
    },
    end(): void {
      failures = 0
    },
    /** The mails that `begin` postponed, until `resume` makes them due. */
    postponed: () => [...postponed].map(([id, nextAttemptAt]) => ({ id, nextAttemptAt })),
    resume(ids: readonly string[]): void {
      for (const id of ids) postponed.delete(id)
    },
  }
}
