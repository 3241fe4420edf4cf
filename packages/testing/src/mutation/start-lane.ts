import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Order, Outcome } from './lane.ts'

export type Lane = { run(order: Order, timeoutMs: number): Promise<Outcome | 'timeout'>; stop(): Promise<void>; end(): void }

/** A lane restarts after a timeout: a mutant that loops forever blocks its process. */
export function startLane(root: string, runId: string): Lane {
  let child: ChildProcess | undefined
  let isEnded = false
  const start = async () => {
    // A separate process group, so that Ctrl-C reaches this process alone and nothing outlives a lane.
    const started = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join('packages/testing/src/mutation/lane.ts')],
      {
        cwd: root,
        env: { ...process.env, TEST_RUN_ID: runId },
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        detached: true,
      },
    )
    child = started
    let errors = ''
    started.stderr?.on('data', (data) => {
      errors = (errors + data).slice(-4000)
    })
    const ready = await Promise.race([once(started, 'message'), once(started, 'exit').then(() => null)])
    if (!ready) throw new Error(`a lane did not start: ${errors}`)
  }
  const kill = () => {
    if (child?.pid) {
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // The group has ended.
      }
    }
    child = undefined
  }
  return {
    async run(order, timeoutMs) {
      // A signal ends the command while its loop still asks for the next mutant.
      if (isEnded) return 'timeout'
      if (!child) await start()
      const ended = new AbortController()
      const [answer, gone] = ['message', 'exit'].map((event) =>
        once(child as ChildProcess, event, { signal: ended.signal }).catch(() => null),
      )
      child?.send(order)
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<null>((resolve) => {
        timer = setTimeout(resolve, timeoutMs, null)
      })
      const outcome = await Promise.race([answer, gone?.then(() => null), late])
      ended.abort()
      clearTimeout(timer)
      if (outcome) return outcome[0] as Outcome
      kill()
      return 'timeout'
    },
    async stop() {
      if (!child) return
      const gone = once(child, 'exit')
      child.send('end')
      await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 15_000))])
      kill()
    },
    end() {
      isEnded = true
      kill()
    },
  }
}
