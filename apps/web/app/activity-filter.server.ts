import type { Api } from '@floorpass/api'
import { isZone, startOfDay } from '#app/day-in-zone.server.ts'

type ActivityFilter = NonNullable<Parameters<Api['profile']['exportActivity']>[0]>

/** The filter in the address, as typed. Days are those of `zone`, which the page sends with JavaScript; else of UTC. */
export type TypedFilter = { kind: string; from: string; to: string; zone: string }

export function readActivityFilter(query: URLSearchParams): {
  typed: TypedFilter
  filter: ActivityFilter
  wrongDays: ('from' | 'to')[]
} {
  const kind = query.get('kind')?.trim() ?? ''
  const { typed, filter, wrongDays } = readDays(query)
  return {
    typed: { kind, ...typed },
    filter: { ...(kind !== '' && { kind: kind as ActivityFilter['kind'] }), ...filter },
    wrongDays,
  }
}

export function readDays(query: URLSearchParams) {
  const read = (name: 'from' | 'to' | 'zone') => query.get(name)?.trim() ?? ''
  const typed = { from: read('from'), to: read('to'), zone: read('zone') }
  const zone = typed.zone !== '' && isZone(typed.zone) ? typed.zone : 'UTC'
  const since = startOfDay(typed.from, zone)
  const until = startOfDay(typed.to, zone, 1)
  return {
    typed,
    filter: { ...(since && { since: since.toISOString() }), ...(until && { until: until.toISOString() }) },
    wrongDays: [...(typed.from !== '' && !since ? ['from' as const] : []), ...(typed.to !== '' && !until ? ['to' as const] : [])],
  }
}

/** The parts of the filter that are set, for a link. */
export const filterQuery = (typed: Record<string, string>): URLSearchParams =>
  new URLSearchParams(Object.entries(typed).filter(([, value]) => value !== ''))
