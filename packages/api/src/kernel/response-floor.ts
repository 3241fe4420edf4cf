import { setTimeout as delay } from 'node:timers/promises'

/** Keeps response times from revealing whether an account exists (ADR 010). */
export type ResponseFloor = {
  withMinDuration<Result>(work: () => Promise<Result>): Promise<Result>
  withMinDurationOnRefusal<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Must exceed the duration of the work for an existing account. */
export function createResponseFloor(floorMs = 200): ResponseFloor {
  const floor = (): Promise<void> => delay(floorMs, undefined, { ref: false })
  return {
    async withMinDuration(work) {
      const [outcome] = await Promise.allSettled([work(), floor()])
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value
    },
    async withMinDurationOnRefusal(work) {
      const earliest = floor()
      try {
        return await work()
      } catch (error) {
        await earliest
        throw error
      }
    },
  }
}
