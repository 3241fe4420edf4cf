import { defaultLocale } from '@floorpass/languages/locales'

const dayPattern = /^((?:19|20|21)\d\d)-(\d\d)-(\d\d)$/

/** The moment at which this day (2026-11-24) begins in the zone, or the day `later` days after it. Null when there is no such day. */
export function startOfDay(day: string, zone: string, later = 0): Date | null {
  const [, year, month, date] = (dayPattern.exec(day) ?? []).map(Number)
  if (year === undefined || month === undefined || date === undefined) return null
  if (new Date(Date.UTC(year, month - 1, date)).toISOString().slice(0, 10) !== day) return null
  const midnight = Date.UTC(year, month - 1, date + later)
  // The offset at midnight in UTC may differ from the one at midnight in the zone: look twice.
  const near = midnight - offsetOf(midnight, zone)
  return new Date(midnight - offsetOf(near, zone))
}

/** How far the clocks of the zone are ahead of UTC at that time, in milliseconds. */
function offsetOf(time: number, zone: string): number {
  const parts = createFormat(zone).formatToParts(time)
  const [year = 0, month = 0, day = 0, hour, minute, second] = (
    ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
  ).map((type) => Number(parts.find((part) => part.type === type)?.value))
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1000) * 1000
}

const createFormat = (timeZone: string) =>
  new Intl.DateTimeFormat(defaultLocale, {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })

export function isZone(name: string): boolean {
  try {
    createFormat(name)
    return true
  } catch {
    return false
  }
}
