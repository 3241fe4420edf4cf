import { readdir, readFile } from 'node:fs/promises'
import { availableParallelism, setPriority } from 'node:os'

/** On a core that both want, the event loop gets ten times as much. Never nothing: a flood of reads must not shut out who signs in. */
const niceness = 10

/**
 * The threads that hash passwords give way to the event loop and to a database on the same machine, so that a storm of sign-ins does
 * not slow what needs no hash. Call it once they have hashed: before, there are none. Linux alone has a priority for each thread;
 * elsewhere nothing happens. What else Node does on these threads, files and names of hosts, has their priority too, and a thread that
 * no hash takes, see `hashesAtOnce`.
 */
export async function yieldToOtherThreads(): Promise<void> {
  const tasks = '/proc/self/task'
  const ids = await readdir(tasks).catch(() => [])
  for (const id of ids) {
    const name = await readFile(`${tasks}/${id}/comm`, 'utf8').catch(() => '')
    if (!name.startsWith('libuv-worker')) continue
    try {
      setPriority(Number(id), niceness)
    } catch {
      // The thread has ended, or the machine forbids it: it stays as it is.
    }
  }
}

/** How many hashes may run at once in each of the `processes` on these cores: one thread of the pool stays free for what is no hash. */
export function hashesAtOnce(processes: number): number {
  // As libuv reads it, once, when the first work comes; deploy/start.sh sets it.
  // biome-ignore lint/style/noProcessEnv: it sets Node's own pool, and is no setting of the service
  const threads = Number.parseInt(process.env.UV_THREADPOOL_SIZE ?? '4', 10) || 1
  return Math.max(1, Math.min(Math.floor(availableParallelism() / processes), threads - 1))
}
