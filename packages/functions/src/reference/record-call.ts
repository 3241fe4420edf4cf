import { type Api, type Declared, restRouter } from '@floorpass/api'
import type { Route } from '../rest/routes.ts'

/** What a route asks of the router. `declared` is null for a query (ADR 032). */
export type RecordedCall = { procedure: string; kind: 'query' | 'mutation'; input: unknown; declared: Declared | null }

type Definition = { _def: { type: string; meta?: Declared } }

const procedures = restRouter._def.procedures as unknown as Record<string, Definition>

/** Calls a route with a stand-in for the router, and returns what the route calls first. Null when it refuses `input` before. */
export function recordCall({ call }: Route, input: unknown): RecordedCall | null {
  let recorded: { procedure: string; input: unknown } | undefined
  const stand = (path: string): object =>
    new Proxy(() => undefined, {
      get: (_target, key) => stand(path === '' ? String(key) : `${path}.${String(key)}`),
      apply: (_target, _self, [given]) => {
        recorded ??= { procedure: path, input: given }
        // Never settles, so that the route does nothing after its call.
        return new Promise(() => {})
      },
    })
  const run = async () => call(stand('') as Api, input as never, new Request('http://localhost'), {} as never)
  run().catch(() => {})
  const definition = recorded && procedures[recorded.procedure]?._def
  if (!recorded || !definition) return null
  const isQuery = definition.type === 'query'
  return { ...recorded, kind: isQuery ? 'query' : 'mutation', declared: isQuery ? null : (definition.meta ?? null) }
}
