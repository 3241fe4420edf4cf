import { withAdministration } from '#app/administration.server.ts'
import { readAuditFilter } from '#app/audit-filter.server.ts'
import { auditFile } from '#app/audit-page.server.ts'

/** A file, not a page. */
export const loader = withAdministration(async ({ api, url }) => {
  const { filter } = readAuditFilter(url.searchParams)
  return auditFile((await api.administration.exportAuditEvents(filter)).events)
})
