import { EventEmitter } from 'node:events'
import { ForksPoolWorker, type PoolOptions, type PoolRunnerInitializer, type PoolWorker } from 'vitest/node'

type Listener = Parameters<PoolWorker['on']>[1]

/** A pool with one process that outlives a run: loading the service and an engine takes longer than most tests. */
export function createResidentPool(): { pool: PoolRunnerInitializer; restart(): Promise<void> } {
  let resident: ForksPoolWorker | undefined
  const restart = async () => {
    const ended = resident
    resident = undefined
    await ended?.stop()
  }
  const createPoolWorker = (options: PoolOptions): PoolWorker => {
    const local = new EventEmitter()
    const listeners: [event: string, listener: Listener][] = []
    let isNew = false
    // The process stays started, so answer in its place.
    const answer = (type: 'started' | 'stopped') =>
      setImmediate(() => local.emit('message', { __vitest_worker_response__: true, type }))
    return {
      name: 'resident',
      cacheFs: true,
      deserialize: (data) => data,
      async start() {
        if (resident) return
        isNew = true
        const started = new ForksPoolWorker(options)
        resident = started
        await started.start()
        // Vitest waits for ever for a process that a mutant has ended. The lane starts again.
        started.on('exit', () => {
          if (resident === started) process.exit(1)
        })
      },
      async stop() {
        for (const [event, listener] of listeners.splice(0)) resident?.off(event, listener)
      },
      on(event, listener) {
        listeners.push([event, listener])
        resident?.on(event, listener)
        local.on(event, listener)
      },
      off(event, listener) {
        resident?.off(event, listener)
        local.off(event, listener)
      },
      send(message) {
        const { type } = message as { type?: string }
        if (type === 'stop') return answer('stopped')
        if (type === 'start' && !isNew) return answer('started')
        resident?.send(message)
      },
    }
  }
  return { pool: { name: 'resident', createPoolWorker }, restart }
}
