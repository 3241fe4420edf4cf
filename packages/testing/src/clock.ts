import { onTestFinished, vi } from 'vitest'

/** Freezes performance.now, by which the caches in memory expire, until the test finishes. Whole milliseconds add up exactly. */
export function holdMonotonicClock(): HeldClock {
  let now = Math.ceil(performance.now())
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  return {
    advance(seconds) {
      now += seconds * 1000
    },
  }
}

export type HeldClock = { advance(seconds: number): void }

/** Freezes Date at the start of a time step of the second factor. */
export const holdStep = (): HeldClock => holdClock(new Date(Math.ceil(Date.now() / 30_000) * 30_000))

/** Freezes Date at `start` until the test finishes. Timers keep running. */
export function holdClock(start = new Date()): HeldClock {
  vi.useFakeTimers({ toFake: ['Date'], now: start })
  onTestFinished(() => void vi.useRealTimers())
  return { advance: (seconds) => void vi.setSystemTime(Date.now() + seconds * 1000) }
}
