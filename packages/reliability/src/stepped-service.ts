import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ServiceProcess, startService } from './service-process.ts'

export type SteppedService = ServiceProcess & {
  now(): number
  /** Moves the clock of the service. Resolves when the service sees the new time. */
  step(seconds: number): Promise<void>
  /** Stops the clock of the service at this time, in milliseconds. The next step or freeze moves it. */
  freeze(time: number): Promise<void>
}

/** Starts a service whose clock can be stepped, as `date -s` or a faulty time server does. Timers are not affected. */
export async function startSteppedService(
  folder: string,
  environment: Record<string, string>,
  secondsAhead = 0,
): Promise<SteppedService> {
  const file = join(folder, 'clock-offset')
  let offset = secondsAhead * 1000
  let frozenAt: number | null = null
  const write = () => writeFileSync(file, JSON.stringify({ offset, frozenAt }))
  write()
  const service = await startService({ ...environment, STEPPING_CLOCK_FILE: file }, [
    '--import',
    new URL('./stepping-clock.ts', import.meta.url).href,
  ])
  const publish = async () => {
    write()
    await delay(200)
  }
  return {
    ...service,
    now: () => frozenAt ?? Date.now() + offset,
    async step(seconds) {
      if (frozenAt !== null) offset = frozenAt - Date.now()
      frozenAt = null
      offset += seconds * 1000
      await publish()
    },
    async freeze(time) {
      frozenAt = time
      await publish()
    },
  }
}
