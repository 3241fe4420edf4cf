import { writeFile } from 'node:fs/promises'

export type Clock = {
  /** Makes a service started with these variables read the clock. */
  environment: { NODE_OPTIONS: string }
  /** Sets the service's clock back by this many minutes; 0 restores it. Timers do not change. */
  setBack(minutes: number): Promise<void>
}

/** The clock of one service, stored in `file`. */
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
