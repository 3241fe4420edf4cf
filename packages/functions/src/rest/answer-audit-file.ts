import { type Api, toCsv } from '@floorpass/api'
import { toAuditRows } from '@floorpass/api/administration'

/** GET /auth/admin/audit-events.csv */
export async function answerAuditFile(
  api: Api,
  query: Parameters<Api['administration']['exportAuditEvents']>[0],
): Promise<Response> {
  const { events } = await api.administration.exportAuditEvents(query)
  return new Response(toCsv(toAuditRows(events)), {
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="audit-events-${new Date().toISOString().slice(0, 10)}.csv"`,
      'cache-control': 'no-store',
    },
  })
}
