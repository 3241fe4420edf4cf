import { auditActions } from '../audit-log/audit-actions.ts'

export const accessEventTypes = [
  'session.ended',
  'key.changed',
  'key.ended',
  'membership.changed',
  'membership.ended',
  'user.access-changed',
  'user.deleted',
] as const
export type AccessEventType = (typeof accessEventTypes)[number]

export const activityEventTypes = auditActions.map((action) => `activity.${action}` as const)

export const eventTypes = [...accessEventTypes, ...activityEventTypes] as const
export type EventType = (typeof eventTypes)[number]

/** Expands `activity.*`. Null if a name is unknown. */
export function expandTypes(names: readonly string[]): EventType[] | null {
  const expanded = names.flatMap((name) =>
    name === 'activity.*' ? activityEventTypes : eventTypes.filter((type) => type === name),
  )
  const isKnown = names.every((name) => name === 'activity.*' || eventTypes.some((type) => type === name))
  return isKnown ? [...new Set(expanded)] : null
}
