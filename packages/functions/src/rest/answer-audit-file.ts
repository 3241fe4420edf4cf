import type { Api } from '@floorpass/api'
import { toAuditCsv } from '@floorpass/api/administration'

/** GET /auth/admin/audit-events.csv */
export async function answerAuditFile(
  api: Api,
  query: Parameters<Api['administration']['exportAuditEvents']>[0],
): Promise<Response> {
  const { events } = await api.administration.exportAuditEvents(query)
  return new Response(toAuditCsv(events), { headers: auditFileHeaders(new Date()) })
}

const auditFileHeaders = (now: Date): Record<string, string> => ({
  'content-type': 'text/csv; charset=utf-8; header=present',
  'content-disposition': `attachment; filename="audit-events-${now.toISOString().slice(0, 10)}.csv"`,
  'cache-control': 'no-store',
})
