const windowMs = 120_000
const firstPauseMs = 500

export const maxCrashes = 5

export type CrashCounter = {
  /** Records a worker's exit. Returns the milliseconds to wait before a replacement starts, or null after too many crashes. */
  record(isCrash: boolean): number | null
}

export function createCrashCounter(): CrashCounter {
  let crashes: number[] = []
  return {
    record(isCrash) {
      const now = performance.now()
      crashes = crashes.filter((at) => at > now - windowMs)
      if (isCrash) crashes.push(now)
      if (crashes.length >= maxCrashes) return null
      return crashes.length === 0 ? 0 : firstPauseMs * 2 ** (crashes.length - 1)
    },
  }
}
