import { onTestFinished, vi } from 'vitest'

/** Freezes Date at `start` until the test finishes. Timers keep running. */
export function holdClock(start = new Date()): { advance(seconds: number): void } {
  vi.useFakeTimers({ toFake: ['Date'], now: start })
  onTestFinished(() => void vi.useRealTimers())
  return { advance: (seconds) => void vi.setSystemTime(Date.now() + seconds * 1000) }
}
