import { type Api, AppError, type Deps, toAppError, validationError } from '@floorpass/api'
import { ZodError } from 'zod'
import { readBody, readQuery } from '../http/read-input.ts'
import { errorResponse, json } from '../http/respond.ts'
import { pageFiles } from '../reference/page-files.ts'
import { pathsOf, type Route, routes } from './routes.ts'

const entriesByPath = Map.groupBy(
  routes.flatMap((route) => pathsOf(route).map((path) => ({ path, route }))),
  ({ path }) => path,
)
const isTemplate = (path: string): boolean => path.includes('{')

/** A template is no address itself. */
const routesAt = (path: string): Route[] | undefined =>
  isTemplate(path) ? undefined : entriesByPath.get(patternOf(path))?.map(({ route }) => route)

const templates = [...entriesByPath.keys()].filter(isTemplate).map((pattern) => ({
  pattern,
  expression: new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[\\w-]+)')}$`),
}))

/** The path of the route that answers an address, or the address itself. */
export const patternOf = (path: string): string =>
  entriesByPath.has(path) ? path : (templates.find(({ expression }) => expression.test(path))?.pattern ?? path)

const parametersOf = (path: string): Record<string, string> => {
  const template = templates.find(({ pattern }) => pattern === patternOf(path))
  return { ...template?.expression.exec(path)?.groups }
}

export const documentPaths = new Set(['/auth/openapi.json', '/auth/asyncapi.json', '/auth/reference', ...Object.keys(pageFiles)])

/** The methods that a path accepts; none if the path is unknown. */
export const methodsOf = (path: string): string[] =>
  documentPaths.has(path) ? ['GET'] : (routesAt(path) ?? []).map((route) => route.method)

export async function dispatch(request: Request, path: string, api: Api, deps: Deps): Promise<Response> {
  try {
    const route = requireRoute(path, request.method)
    const input =
      route.method === 'GET' ? { ...readQuery(request), ...parametersOf(path) } : await readBody(request, route.accepts)
    const result = await route.call(api, input as never, request, deps)
    return result instanceof Response ? result : json(result)
  } catch (thrown) {
    if (!(thrown instanceof AppError || thrown instanceof ZodError)) throw thrown
    return refuse(request, path, toAppError(thrown))
  }
}

function requireRoute(path: string, method: string): Route {
  const candidates = routesAt(path)
  if (!candidates && !documentPaths.has(path)) throw new AppError('NOT_FOUND')
  const route = candidates?.find((candidate) => candidate.method === method || (method === 'HEAD' && candidate.method === 'GET'))
  if (!route) throw new AppError('METHOD_NOT_ALLOWED')
  return route
}

function refuse(request: Request, path: string, error: AppError): Response {
  const isQuery = request.method === 'GET' && error.cause instanceof ZodError
  const response = errorResponse(isQuery ? validationError(error.cause, 'query') : error)
  if (error.key === 'METHOD_NOT_ALLOWED') response.headers.set('allow', [...methodsOf(path), 'OPTIONS'].join(', '))
  return response
}
