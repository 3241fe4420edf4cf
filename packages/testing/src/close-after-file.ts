import { afterAll } from 'vitest'

/** What a file of tests opened, wherever in it: a hook that is set inside of a test, or of another hook, runs for no file that shares its process. */
const opened: (() => Promise<void>)[] = []

export const closeAfterFile = (close: () => Promise<void>): void => void opened.push(close)

/** For the setup of each file (vitest.config.ts). The newest first: it may stand on the others. */
export const closeWhatFilesOpen = (): void =>
  afterAll(async () => {
    while (opened.length > 0) await opened.pop()?.()
  })
