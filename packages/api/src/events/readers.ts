import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'

let readers = 0

/** Long polls and streams hold a connection each. SERVICE_BUSY. */
export async function asReader<Result>(read: () => Promise<Result>): Promise<Result> {
  const leave = enter()
  return read().finally(leave)
}

/** Returns the function that ends the read. SERVICE_BUSY. */
export function enter(): () => void {
  if (readers >= policy.events.readersAtOnce) throw new AppError('SERVICE_BUSY', { retryAfter: 1 })
  readers += 1
  let isOver = false
  return () => {
    if (!isOver) readers -= 1
    isOver = true
  }
}
