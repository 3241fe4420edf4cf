import { onTestFinished, vi } from 'vitest'

/** Fires each `AbortSignal.timeout` after a hundredth of its time, until the test finishes. Returns the spy. */
export const shortenTimeouts = () => replaceTimeouts((original) => (ms) => original(ms / 100))

/** Lets no `AbortSignal.timeout` fire until `fire` is called or the test finishes: code that waits for one hangs, however fast the machine is. */
export function holdTimeouts() {
  const held: AbortController[] = []
  const { mock } = replaceTimeouts(() => () => {
    const timeout = new AbortController()
    held.push(timeout)
    return timeout.signal
  })
  const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
  return { mock, fire: () => held.forEach((timeout) => void timeout.abort(reason)) }
}

type Timeout = typeof AbortSignal.timeout

function replaceTimeouts(replace: (original: Timeout) => Timeout) {
  const original = AbortSignal.timeout.bind(AbortSignal)
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation(replace(original))
  onTestFinished(() => spy.mockRestore())
  return spy
}
