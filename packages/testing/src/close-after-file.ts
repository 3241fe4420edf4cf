import { afterAll, onTestFinished, TestRunner } from 'vitest'

/** Vitest never runs an `afterAll` hook that is registered inside a test or a hook, so collect the closers here. */
const opened: (() => Promise<void>)[] = []

export const closeAfterFile = (close: () => Promise<void>): void => void opened.push(close)

/** Closes when the test ends that calls this, or else after the file. */
export const closeAfterUse = (close: () => Promise<void>): void => {
  if (TestRunner.getCurrentTest()) onTestFinished(close)
  else closeAfterFile(close)
}

/** Closes the newest first, because it may depend on older ones. Called by the setup of each file (vitest.config.ts). */
export const registerCleanup = (): void =>
  afterAll(async () => {
    while (opened.length > 0) await opened.pop()?.()
  })
