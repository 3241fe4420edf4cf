import { setTimeout as delay } from 'node:timers/promises'

const floor = (): Promise<void> => delay(200, undefined, { ref: false })

/** Runs work whose length would tell whether an address is known, and answers or refuses no sooner than 200 ms after the call. */
export async function quietly<Result>(work: () => Promise<Result>): Promise<Result> {
  const [outcome] = await Promise.allSettled([work(), floor()])
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/** The same where only a refusal would tell: success answers at once. */
export async function refuseQuietly<Result>(work: () => Promise<Result>): Promise<Result> {
  const earliest = floor()
  try {
    return await work()
  } catch (error) {
    await earliest
    throw error
  }
}
