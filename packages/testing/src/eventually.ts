import { setTimeout as delay } from 'node:timers/promises'

const interval = 20

/**
 * Repeats the attempt until it passes, and throws its last error. Patience is a number of attempts: a busy machine gets more time.
 * Only a hang uses it up.
 */
export async function eventually<Result>(attempt: () => Result | Promise<Result>, timeout = 30_000): Promise<Result> {
  for (let left = timeout / interval; ; left -= 1) {
    try {
      return await attempt()
    } catch (error) {
      if (left <= 0) throw error
    }
    await delay(interval)
  }
}
