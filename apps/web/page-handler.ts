import { createRequestHandler, type ServerBuild } from '@remix-run/node'
import { matchRoutes } from '@remix-run/react'

type Handler = ReturnType<typeof createRequestHandler>
type Route = Parameters<typeof matchRoutes>[0][number]

/** Remix walks all routes several times for each answer, so each fixed address gets a handler with its routes only (ADR 027). */
export function createPageHandler(build: ServerBuild): Handler {
  const whole = createRequestHandler(build, 'production')
  const byPath = new Map<string, Handler>()
  const tree = childrenOf(undefined, build)
  for (const path of fixedPaths(tree)) {
    const own = new Set((matchRoutes(tree, path) ?? []).map(({ route }) => route.id ?? ''))
    const routes = pick(build.routes, own)
    const handler = createRequestHandler(
      { ...build, routes, assets: { ...build.assets, routes: pick(build.assets.routes, own) } },
      'production',
    )
    byPath.set(path, handler)
    // Data requests of client-side navigation. Remix names the start page differently.
    byPath.set(path === '/' ? '/_root.data' : `${path}.data`, handler)
  }
  return (request, context) => (byPath.get(new URL(request.url).pathname) ?? whole)(request, context)
}

const childrenOf = (parentId: string | undefined, build: ServerBuild): Route[] =>
  Object.values(build.routes)
    .filter((route) => route !== undefined && route.parentId === parentId)
    .map((route) => ({ ...route, children: childrenOf(route?.id, build) }) as Route)

/** Every address that the routes name in full. */
const fixedPaths = (routes: Route[], parent = ''): string[] =>
  routes
    .filter(({ path = '' }) => !/[:*?]/.test(path))
    .flatMap(({ path, children = [] }) => {
      const own = path ? `${parent}/${path}` : parent
      return [own || '/', ...fixedPaths(children, own)]
    })

const pick = <Value>(all: Record<string, Value>, ids: ReadonlySet<string>): Record<string, Value> =>
  Object.fromEntries(Object.entries(all).filter(([id]) => ids.has(id)))
