import type { Reporter } from 'vitest/node'

/** Prints why a test fails as soon as it fails. Vitest's own reporter waits for the last test, and a run may be stopped before. */
export const failureReporter: Reporter = {
  onTestCaseResult(test) {
    for (const { stack, message, diff } of test.result().errors ?? []) {
      process.stdout.write(`\nFAILED ${test.module.relativeModuleId} > ${test.fullName}\n${stack ?? message}\n${diff ?? ''}\n`)
    }
  },
}
