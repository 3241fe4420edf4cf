import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ServiceProcess, startService } from './service-process.ts'

export type SteppedService = ServiceProcess & {
  now(): number
  /** Moves the clock of the service. Resolves when the service sees the new time. */
  step(seconds: number): Promise<void>
}

/** Starts a service whose clock can be stepped, as `date -s` or a faulty time server does. Timers are not affected. */
export async function startSteppedService(folder: string, environment: Record<string, string>): Promise<SteppedService> {
  const file = join(folder, 'clock-offset')
  let offset = 0
  writeFileSync(file, '0')
  const service = await startService({ ...environment, STEPPING_CLOCK_FILE: file }, [
    '--import',
    new URL('./stepping-clock.ts', import.meta.url).href,
  ])
  return {
    ...service,
    now: () => Date.now() + offset,
    async step(seconds) {
      offset += seconds * 1000
      writeFileSync(file, String(offset))
      await delay(200)
    },
  }
}
