import { isBearer } from '../http/bearer.ts'
import { refuse } from '../http/respond.ts'
import type { Metrics } from './metrics.ts'

/**
 * `GET /metrics` with `Authorization: Bearer <METRICS_TOKEN>`: the text format of Prometheus. UNAUTHORIZED; without a token in the
 * configuration for everybody. METHOD_NOT_ALLOWED.
 */
export async function answerMetrics(request: Request, token: string | null, metrics: Metrics | null): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse('METHOD_NOT_ALLOWED', { allow: 'GET' })
  if (!metrics || !isBearer(request.headers.get('authorization'), token))
    return refuse('UNAUTHORIZED', { 'www-authenticate': 'Bearer' })
  return new Response(await metrics.text(), { headers: { 'content-type': metrics.registry.contentType } })
}
