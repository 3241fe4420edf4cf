import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Order, Outcome } from './lane.ts'

export type Lane = {
  /** Gives up when no test file ends within `silenceMs`: a mutant may loop, or end the process of the tests. */
  run(order: Order, silenceMs: number): Promise<Outcome | 'timeout'>
  stop(): Promise<void>
  end(): Promise<void>
}

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
  const kill = async () => {
    const killed = child
    child = undefined
    if (!killed?.pid) return
    const gone = killed.exitCode ?? killed.signalCode ?? once(killed, 'exit')
    try {
      process.kill(-killed.pid, 'SIGKILL')
    } catch {
      // The group has ended.
    }
    await gone
  }
  return {
    async run(order, silenceMs) {
      // A signal ends the command while its loop still asks for the next mutant.
      if (isEnded) return 'timeout'
      if (!child) await start()
      const lane = child as ChildProcess
      const outcome = Promise.withResolvers<Outcome | 'timeout'>()
      const giveUp = () => outcome.resolve('timeout')
      const timer = setTimeout(giveUp, silenceMs)
      const listen = (message: Outcome | 'file ended') => {
        if (message === 'file ended') timer.refresh()
        else outcome.resolve(message)
      }
      lane.on('message', listen).once('exit', giveUp).send(order)
      const result = await outcome.promise
      clearTimeout(timer)
      lane.off('message', listen).off('exit', giveUp)
      if (result === 'timeout') await kill()
      return result
    },
    async stop() {
      if (!child) return
      const gone = once(child, 'exit')
      child.send('end')
      await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 15_000))])
      await kill()
    },
    end() {
      isEnded = true
      return kill()
    },
  }
}
