import { type Api, type AuditAction, auditActions, policy, toAppError } from '@floorpass/api'
import { toAuditRows } from '@floorpass/api/administration'
import type { PageContext } from '@floorpass/functions'
import { describeEvent } from '#app/administration.server.ts'
import { csvFile } from '#app/csv-file.server.ts'
import { serverTextIn } from '#app/text.server.ts'

type Event = Awaited<ReturnType<Api['administration']['listAuditEvents']>>['events'][number]

export const mostExported = policy.administration.exportedEvents

/** Every kind of event, in the order of the language. */
export function listKinds({ locale }: PageContext): { value: string; label: string }[] {
  const { activity } = serverTextIn(locale)
  const kinds = auditActions.map((action: AuditAction) => ({ value: action, label: activity[action] }))
  return kinds.sort((one, other) => one.label.localeCompare(other.label, locale))
}

export const describeAuditEvent = (event: Event, page: PageContext) => ({
  ...describeEvent(event, page),
  userId: event.userId,
  organizationId: event.organizationId,
  userAgent: event.userAgent,
  details: Object.entries((event.details ?? {}) as Record<string, unknown>).map(([name, value]) => ({
    name,
    value: String(value),
  })),
})

/** An unknown user or event in the address lists nothing. */
export const noneIfUnknown = (thrown: unknown): { events: Event[] } => {
  if (!['USER_NOT_FOUND', 'NOT_FOUND', 'VALIDATION_ERROR'].includes(toAppError(thrown).key)) throw thrown
  return { events: [] }
}

export const auditFile = (events: readonly Event[]): Response => csvFile('audit-events', toAuditRows(events))
