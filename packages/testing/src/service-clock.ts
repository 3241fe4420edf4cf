import { writeFile } from 'node:fs/promises'

export type Clock = {
  /** The service that is started with this reads the clock. */
  environment: { NODE_OPTIONS: string }
  /** Puts the service so many minutes back: what happens now is that old once it is set back to 0. Timers do not notice. */
  setBack(minutes: number): Promise<void>
}

/** The clock of one service, kept in `file`. */
export function clockIn(file: string): Clock {
  const shim = `import { readFileSync } from 'node:fs'
    const Real = Date
    const now = () => {
      try {
        return Real.now() - Number(readFileSync(${JSON.stringify(file)}, 'utf8')) * 60_000
      } catch {
        return Real.now()
      }
    }
    globalThis.Date = class Date extends Real {
      constructor(...given) { given.length ? super(...given) : super(now()) }
      static now() { return now() }
    }`
  return {
    environment: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shim)}` },
    setBack: (minutes) => writeFile(file, String(minutes)),
  }
}
