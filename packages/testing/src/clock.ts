import { onTestFinished, vi } from 'vitest'

/** Stops the service's clock at `start` for the rest of the test. Timers keep running: only Date is held. */
export function holdClock(start = new Date()): { advance(seconds: number): void } {
  vi.useFakeTimers({ toFake: ['Date'], now: start })
  onTestFinished(() => void vi.useRealTimers())
  return { advance: (seconds) => void vi.setSystemTime(Date.now() + seconds * 1000) }
}
