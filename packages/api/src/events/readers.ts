import { AppError } from '../kernel/errors.ts'
import { policy } from '../kernel/policy.ts'

let readers = 0

/** Long polls and streams hold a connection each. SERVICE_BUSY. */
export async function withReader<Result>(read: () => Promise<Result>): Promise<Result> {
  const release = acquireReader()
  return read().finally(release)
}

export function acquireReader(): () => void {
  if (readers >= policy.events.readersAtOnce) throw new AppError('SERVICE_BUSY', { retryAfter: 1 })
  readers += 1
  let isReleased = false
  return () => {
    if (!isReleased) readers -= 1
    isReleased = true
  }
}
