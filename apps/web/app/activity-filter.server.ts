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
  const read = (name: keyof TypedFilter) => query.get(name)?.trim() ?? ''
  const typed = { kind: read('kind'), from: read('from'), to: read('to'), zone: read('zone') }
  const zone = typed.zone !== '' && isZone(typed.zone) ? typed.zone : 'UTC'
  const since = startOfDay(typed.from, zone)
  const until = startOfDay(typed.to, zone, 1)
  return {
    typed,
    filter: {
      ...(typed.kind !== '' && { kind: typed.kind as ActivityFilter['kind'] }),
      ...(since && { since: since.toISOString() }),
      ...(until && { until: until.toISOString() }),
    },
    wrongDays: [...(typed.from !== '' && !since ? ['from' as const] : []), ...(typed.to !== '' && !until ? ['to' as const] : [])],
  }
}

/** The parts of the filter that are set, for a link. */
export const filterQuery = (typed: TypedFilter): URLSearchParams =>
  new URLSearchParams(Object.entries(typed).filter(([, value]) => value !== ''))
