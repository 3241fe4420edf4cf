import type { Declared } from '@floorpass/api'
import { type Route, recordCall, routes } from '@floorpass/functions'

/** What the mutation behind a POST route declares (ADR 032). Null for a query. */
function findDeclaration(route: Route): Declared | null {
  const recorded = recordCall(route, {})
  if (!recorded) throw new Error(`${route.path} calls no procedure`)
  if (recorded.kind === 'mutation' && !recorded.declared) throw new Error(`${recorded.procedure} declares nothing`)
  return recorded.declared
}

/** Every route that may change something, with its declaration. */
export const declaredRoutes = routes
  .filter(({ method }) => method === 'POST')
  .flatMap((route) => {
    const declared = findDeclaration(route)
    return declared ? [{ ...route, declared }] : []
  })
