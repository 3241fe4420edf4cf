import { setTimeout as delay } from 'node:timers/promises'

/** Hides in an answer's time whether an address is known. */
export type ResponseFloor = {
  /** For work whose length would tell: answers or refuses no sooner than the floor. */
  withMinDuration<Result>(work: () => Promise<Result>): Promise<Result>
  /** Where only a refusal would tell: success answers at once. */
  withMinDurationOnRefusal<Result>(work: () => Promise<Result>): Promise<Result>
}

/** `floorMs`: longer than the work of a known address takes on a machine that is not overloaded (ADR 010). */
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
