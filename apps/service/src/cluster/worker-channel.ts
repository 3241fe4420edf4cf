import type { ChildProcess } from 'node:child_process'

/** One end of the channel between a worker and its primary. */
export type WorkerChannel = {
  /** Rejects when no answer came after so many milliseconds. */
  request(subject: string, milliseconds: number): Promise<unknown>
  notify(subject: string, value: unknown): void
  /** What is done with what is asked or told under this name. */
  on(subject: string, handle: (value: unknown) => unknown): void
}

/** `id` of a question is the asker's, `re` of an answer is the question's. */
type Message = { line: 'floorpass'; subject: string; value?: unknown; id?: number; re?: number }

/** Questions and answers over the channel that node:cluster keeps between its processes: `process` in a worker, its `ChildProcess` in the primary. */
export function openWorkerChannel(end: NodeJS.Process | ChildProcess): WorkerChannel {
  const handlers = new Map<string, (value: unknown) => unknown>()
  const waiting = new Map<number, (answer: unknown) => void>()
  let asked = 0

  const send = (message: Omit<Message, 'line'>): void => {
    // With a callback, a channel that closes meanwhile is no uncaught error: who asked hears it from the clock.
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
      // No answer is one: the asker's time runs out.
    }
  }

  return {
    request(subject, milliseconds) {
      asked += 1
      const id = asked
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
