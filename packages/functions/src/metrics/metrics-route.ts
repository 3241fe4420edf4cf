import type { EdgeService } from '../edge-service.ts'
import { isBearer } from '../http/bearer.ts'
import { refuse } from '../http/respond.ts'

/** Answers `GET /metrics` in Prometheus format. UNAUTHORIZED without `Bearer <METRICS_TOKEN>`, always if no token is configured. METHOD_NOT_ALLOWED. */
export async function answerMetrics(request: Request, token: string | null, metrics: EdgeService['metrics']): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse('METHOD_NOT_ALLOWED', { allow: 'GET' })
  if (!metrics || !isBearer(request.headers.get('authorization'), token))
    return refuse('UNAUTHORIZED', { 'www-authenticate': 'Bearer' })
  return new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } })
}
