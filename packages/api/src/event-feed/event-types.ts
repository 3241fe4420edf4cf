import { auditActions } from '../audit-log/audit-actions.ts'

/** What decides whether sessions, keys and users may act: services that check callers themselves follow these. */
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

/** One for each entry of the activity, for risk and compliance. */
export const activityEventTypes = auditActions.map((action) => `activity.${action}` as const)

export const eventTypes = [...accessEventTypes, ...activityEventTypes] as const
export type EventType = (typeof eventTypes)[number]

/** Of a filter: types, and `activity.*`. Null: a name that is none. */
export function expandTypes(names: readonly string[]): EventType[] | null {
  const expanded = names.flatMap((name) =>
    name === 'activity.*' ? activityEventTypes : eventTypes.filter((type) => type === name),
  )
  const isKnown = names.every((name) => name === 'activity.*' || eventTypes.some((type) => type === name))
  return isKnown ? [...new Set(expanded)] : null
}
