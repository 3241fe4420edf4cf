import { onTestFinished, vi } from 'vitest'

/** Fires each `AbortSignal.timeout` after a hundredth of its time, until the test finishes. Returns the spy. */
export const shortenTimeouts = () => replaceTimeouts((original) => (ms) => original(ms / 100))

/** Lets no `AbortSignal.timeout` fire until the test finishes: code that waits for one hangs, however fast the machine is. */
export const holdTimeouts = () => replaceTimeouts(() => () => new AbortController().signal)

type Timeout = typeof AbortSignal.timeout

function replaceTimeouts(replace: (original: Timeout) => Timeout) {
  const original = AbortSignal.timeout.bind(AbortSignal)
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation(replace(original))
  onTestFinished(() => spy.mockRestore())
  return spy
}
