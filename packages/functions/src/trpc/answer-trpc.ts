import { appRouter, type Context, toAppError } from '@floorpass/api'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { findBodyKind, readText } from '../http/read-input.ts'
import { jsonType, retryHeaders } from '../http/respond.ts'

const largestBatch = 10

export async function answerTrpc(request: Request, context: Context): Promise<Response> {
  // A streamed batch would send its headers before its procedures set their cookies.
  request.headers.set('trpc-accept', 'application/json')
  // tRPC also accepts forms, bytes and every charset. Without a content type it answers UNSUPPORTED_MEDIA_TYPE in its own format.
  if (request.method === 'POST' && findBodyKind(request.headers, ['json']) === null) request.headers.delete('content-type')
  // tRPC's own reader silently replaces invalid UTF-8.
  Object.defineProperty(request, 'text', { value: () => readText(request) })
  const response = await fetchRequestHandler({
    endpoint: '/trpc',
    req: request,
    router: appRouter,
    maxBatchSize: largestBatch,
    responseMeta: ({ errors }) => ({ headers: retryHeaders(errors.map(toAppError)) }),
    createContext: () => context,
  })
  // tRPC sets no content type when it refuses a request before any procedure runs.
  response.headers.set('content-type', jsonType)
  return response
}

/** The number of calls that tRPC reads from a URL; at most one more than a batch may have. */
export function countCalls(address: string): number {
  if (!address.includes('?')) return 1
  const { pathname, searchParams } = new URL(address)
  return searchParams.get('batch') === '1' ? Math.min(pathname.split(/,|%2c/i).length, largestBatch + 1) : 1
}
