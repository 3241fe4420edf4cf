import type { ChangeChannel, ChangeListener } from '@floorpass/db'
import type { Log } from '../kernel/log.ts'

/** What a cache does with a change of the database. */
export type ChangeConsumer = {
  /** `kind` is `session`, `user` or `key`. */
  onChange(kind: string, id: string): void
  /** Everything may be stale. */
  onReset(): void
}

/** Passes each change of the database to every cache of this process (ADR 012). */
export type ChangeFeed = Pick<ChangeChannel, 'isCurrent' | 'close'> & {
  subscribe(consumer: ChangeConsumer): void
  /** Calls `onEvents` when a process has added to the feed of events. */
  subscribeToEvents(onEvents: () => void): void
  /** Resolves when every cache has applied each change that was committed before the call. */
  flush(): Promise<void>
}

const kinds: readonly string[] = ['session', 'user', 'key']

export function createChangeFeed({ listen, log }: { listen(listener: ChangeListener): ChangeChannel; log: Log }): ChangeFeed {
  const consumers: ChangeConsumer[] = []
  const onEvents: (() => void)[] = []
  let wasDown = false
  const reset = (): void => {
    for (const consumer of consumers) consumer.onReset()
  }

  const channel = listen({
    onChange(change) {
      const [kind = '', id = ''] = change.split(/:(.*)/s)
      // `all`, or what a newer version announces.
      if (!kinds.includes(kind)) return reset()
      for (const consumer of consumers) consumer.onChange(kind, id)
    },
    onEvents() {
      for (const call of onEvents) call()
    },
    onUp() {
      reset()
      if (wasDown) log.info({}, 'session invalidation channel up')
      wasDown = false
    },
    onDown(reason) {
      reset()
      wasDown = true
      log.warn({ reason }, 'session invalidation channel down; reading sessions from the database')
    },
  })

  return {
    subscribe: (consumer) => void consumers.push(consumer),
    subscribeToEvents: (call) => void onEvents.push(call),
    isCurrent: () => channel.isCurrent(),
    flush: () => channel.flush(),
    close: () => channel.close(),
  }
}
