import { type Api, type AuditAction, auditActions } from '@floorpass/api'
import { filterQuery, readDays } from '#app/activity-filter.server.ts'

type AuditFilter = NonNullable<Parameters<Api['administration']['exportAuditEvents']>[0]>

/** The filter of the audit log in the address. A kind that does not exist is no filter. */
export function readAuditFilter(query: URLSearchParams) {
  const { typed: days, filter, wrongDays } = readDays(query)
  const userId = query.get('user')?.trim().slice(0, 128).toWellFormed() ?? ''
  const action = auditActions.find((known) => known === query.get('kind'))
  const typed = { user: userId, kind: action ?? '', ...days }
  return {
    typed,
    filter: {
      ...filter,
      ...(userId !== '' && { userId }),
      ...(action !== undefined && { action: action as AuditAction }),
    } satisfies AuditFilter,
    wrongDays,
    query: filterQuery(typed),
  }
}
