import { type Api, AppError, toAppError, validationError } from '@floorpass/api'
import { ZodError } from 'zod'
import { readBody, readQuery } from '../http/read-input.ts'
import { errorResponse, json } from '../http/respond.ts'
import { type Route, routes } from './routes.ts'

const rowsByPath = Map.groupBy(
  routes.flatMap((route) => [route.path, ...route.aliases].map((path) => ({ path: `/auth${path}`, route }))),
  ({ path }) => path,
)
const rowsAt = (path: string): Route[] | undefined => rowsByPath.get(path)?.map(({ route }) => route)

/** What the edge answers itself: it describes the rows, and is none. */
const documents = new Set(['/auth/openapi.json', '/auth/reference'])

/** The methods that a path answers; none for an unknown one. */
export const methodsOf = (path: string): string[] =>
  documents.has(path) ? ['GET'] : (rowsAt(path) ?? []).map((route) => route.method)

/** Answers one REST request: find the row, read the input, call the procedure, write the result. A Response passes through as it is. */
export async function dispatch(request: Request, path: string, api: Api): Promise<Response> {
  try {
    const route = findRoute(path, request.method)
    const input = route.method === 'GET' ? readQuery(request) : await readBody(request, route.accepts)
    const result = await route.call(api, input as never, request)
    return result instanceof Response ? result : json(result)
  } catch (thrown) {
    // What is neither expected nor a contract's refusal goes to the edge, which logs it.
    if (!(thrown instanceof AppError || thrown instanceof ZodError)) throw thrown
    return refuse(request, path, toAppError(thrown))
  }
}

function findRoute(path: string, method: string): Route {
  const rows = rowsAt(path)
  if (!rows && !documents.has(path)) throw new AppError('NOT_FOUND')
  const row = rows?.find((route) => route.method === method || (method === 'HEAD' && route.method === 'GET'))
  if (!row) throw new AppError('METHOD_NOT_ALLOWED')
  return row
}

function refuse(request: Request, path: string, error: AppError): Response {
  const isQuery = request.method === 'GET' && error.cause instanceof ZodError
  const response = errorResponse(isQuery ? validationError(error.cause, 'query') : error)
  if (error.key === 'METHOD_NOT_ALLOWED') response.headers.set('allow', [...methodsOf(path), 'OPTIONS'].join(', '))
  return response
}
