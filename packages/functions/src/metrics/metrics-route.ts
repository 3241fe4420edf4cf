import type { EdgeService } from '../edge-service.ts'
import { isBearer } from '../http/bearer.ts'
import { refuse } from '../http/respond.ts'

/**
 * `GET /metrics` with `Authorization: Bearer <METRICS_TOKEN>`: the text format of Prometheus. UNAUTHORIZED; without a token in the
 * configuration for everybody. METHOD_NOT_ALLOWED.
 */
export async function answerMetrics(request: Request, token: string | null, metrics: EdgeService['metrics']): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse('METHOD_NOT_ALLOWED', { allow: 'GET' })
  if (!metrics || !isBearer(request.headers.get('authorization'), token))
    return refuse('UNAUTHORIZED', { 'www-authenticate': 'Bearer' })
  return new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } })
}
