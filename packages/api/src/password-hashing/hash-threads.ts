import { readdir, readFile } from 'node:fs/promises'
import { availableParallelism, setPriority } from 'node:os'

const niceness = 10

/** Call it after the first hash: the threads do not exist before. Only Linux has priorities per thread. */
export async function lowerHashThreadPriority(): Promise<void> {
  const tasks = '/proc/self/task'
  const ids = await readdir(tasks).catch(() => [])
  for (const id of ids) {
    const name = await readFile(`${tasks}/${id}/comm`, 'utf8').catch(() => '')
    if (!name.startsWith('libuv-worker')) continue
    try {
      setPriority(Number(id), niceness)
    } catch {
      // The thread has ended, or the system forbids the change.
    }
  }
}

/** Leaves one thread of the pool free for files and DNS. */
export function getMaxConcurrentHashes(processes: number): number {
  // biome-ignore lint/style/noProcessEnv: libuv reads this variable for its pool; it is no setting of the service
  const threads = Number.parseInt(process.env.UV_THREADPOOL_SIZE ?? '4', 10) || 1
  return Math.max(1, Math.min(Math.floor(availableParallelism() / processes), threads - 1))
}
