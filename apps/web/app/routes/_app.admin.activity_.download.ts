import { redirect } from '@remix-run/node'
import { withAdministration } from '#app/administration.server.ts'
import { tryCall } from '#app/api.server.ts'
import { readAuditFilter } from '#app/audit-filter.server.ts'
import { auditFile } from '#app/audit-page.server.ts'

/** A file, not a page: the page that links here shows the errors. */
export const loader = withAdministration(async ({ api, page, url }) => {
  const { filter, wrongDays, query } = readAuditFilter(url.searchParams)
  const back = redirect(`/admin/activity?${query}`)
  if (wrongDays.length > 0) throw back
  const { answer } = await tryCall(api.administration.exportAuditEvents(filter), page.locale)
  if (!answer) throw back
  return auditFile(answer.events)
})
