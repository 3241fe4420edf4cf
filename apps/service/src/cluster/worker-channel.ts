import type { ChildProcess } from 'node:child_process'

export type WorkerChannel = {
  /** Resolves to the answer. Rejects if none arrives within `milliseconds`. */
  request(subject: string, milliseconds: number): Promise<unknown>
  notify(subject: string, value: unknown): void
  on(subject: string, handle: (value: unknown) => unknown): void
}

/** A request has an `id`; its answer repeats that id as `re`. */
type Message = { line: 'floorpass'; subject: string; value?: unknown; id?: number; re?: number }

/** Opens a channel over the IPC of node:cluster. `end` is `process` in a worker, and the worker's `ChildProcess` in the primary. */
export function openWorkerChannel(end: NodeJS.Process | ChildProcess): WorkerChannel {
  const handlers = new Map<string, (value: unknown) => unknown>()
  const waiting = new Map<number, (answer: unknown) => void>()
  let requests = 0

  const send = (message: Omit<Message, 'line'>): void => {
    // Without a callback, a channel that closes meanwhile is an uncaught error. The requester times out instead.
    if (end.connected) end.send?.({ line: 'floorpass', ...message }, undefined, undefined, () => {})
  }
  end.on('message', (message: Partial<Message> | null) => {
    if (message?.line !== 'floorpass') return
    const { subject = '', value, id, re } = message
    if (re !== undefined) return waiting.get(re)?.(value)
    void answer(subject, value, id)
  })
  const answer = async (subject: string, value: unknown, id: number | undefined): Promise<void> => {
    const handle = handlers.get(subject)
    if (!handle) return
    try {
      const result = await handle(value)
      if (id !== undefined) send({ subject, value: result, re: id })
    } catch {
      // Send no answer: the request times out.
    }
  }

  return {
    request(subject, milliseconds) {
      requests += 1
      const id = requests
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const timer = setTimeout(() => reject(new Error(`no answer to ${subject} in ${milliseconds} ms`)), milliseconds)
      waiting.set(id, resolve)
      send({ subject, id })
      return promise.finally(() => {
        clearTimeout(timer)
        waiting.delete(id)
      })
    },
    notify: (subject, value) => send({ subject, value }),
    on: (subject, handle) => void handlers.set(subject, handle),
  }
}
