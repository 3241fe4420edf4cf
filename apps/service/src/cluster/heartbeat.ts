import type { WorkerChannel } from './worker-channel.ts'

const intervalMs = 5_000
const maxMissed = 3

/** Resolves to true when the worker misses three heartbeats in a row, and to false once `isWatched` returns false.
 * Counts requests instead of time: a machine that slept misses only one. */
export async function isUnresponsive(channel: WorkerChannel, isWatched: () => boolean): Promise<boolean> {
  for (let missed = 0; missed < maxMissed; ) {
    await new Promise((resolve) => setTimeout(resolve, intervalMs).unref())
    const isAlive = await channel.request('alive', intervalMs).catch(() => false)
    if (!isWatched()) return false
    missed = isAlive ? 0 : missed + 1
  }
  return true
}
