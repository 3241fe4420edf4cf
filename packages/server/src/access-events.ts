type Of<Type extends string, Data> = { id: string; type: Type; timestamp: string; data: Data }
type Membership = { userId: string; organizationId: string }
type Key = { userId: string; organizationId?: string; keyId: string }

/**
 * What changed in the access of a user, a session or an API key. Moments are ISO 8601 in UTC, by the clock of the service's database.
 * `sessionId` is the `sid` of tokens. `id` sorts in the order of the feed.
 */
export type AccessEvent =
  | Of<'session.ended', { userId: string; sessionId: string }>
  | Of<'key.changed', Key & { enabled: boolean; expiresAt: string | null }>
  | Of<'key.ended', Key>
  | Of<'membership.changed', Membership & { role: string; accepted: boolean; heldUntil: string | null }>
  | Of<'membership.ended', Membership>
  | Of<
      'user.access-changed',
      {
        userId: string
        suspended: boolean
        tradingEnabled: boolean
        /** Withdrawals are on hold until then. */
        heldUntil: string | null
        locked: boolean
        /** When the lock ends, or null. */
        unlockAt: string | null
      }
    >
  | Of<'user.deleted', { userId: string }>

export type EventPage = { events: AccessEvent[]; cursor: string; caughtUp: boolean }

type Check = (value: unknown) => boolean
const isText: Check = (value) => typeof value === 'string' && value !== ''
const isFlag: Check = (value) => typeof value === 'boolean'
const isMoment: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value))
const isMomentOrNull: Check = (value) => value === null || isMoment(value)
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const shapes: Record<AccessEvent['type'], Record<string, Check>> = {
  'session.ended': { userId: isText, sessionId: isText },
  'key.changed': { keyId: isText, enabled: isFlag, expiresAt: isMomentOrNull },
  'key.ended': { keyId: isText },
  'membership.changed': { userId: isText, organizationId: isText, role: isText, accepted: isFlag, heldUntil: isMomentOrNull },
  'membership.ended': { userId: isText, organizationId: isText },
  'user.access-changed': {
    ...{ userId: isText, suspended: isFlag, tradingEnabled: isFlag },
    ...{ heldUntil: isMomentOrNull, locked: isFlag, unlockAt: isMomentOrNull },
  },
  'user.deleted': { userId: isText },
}

/** The filter `types` of `GET /auth/events`. */
export const accessEventTypes = Object.keys(shapes).join(',')

const matches = (value: Record<string, unknown>, shape: Record<string, Check>) =>
  Object.entries(shape).every(([field, check]) => check(value[field]))

function isAccessEvent(event: unknown): event is AccessEvent {
  if (!isObject(event) || !matches(event, { id: isText, type: isText, timestamp: isMoment })) return false
  const shape = Object.hasOwn(shapes, String(event.type)) && shapes[event.type as AccessEvent['type']]
  return shape !== false && isObject(event.data) && matches(event.data, shape)
}

/** Each event comes once, the oldest first. Throws when the answer has another shape or order, or leads nowhere. */
export function parsePage(text: string, after: string | null): EventPage {
  const page: unknown = JSON.parse(text)
  const { events, cursor, caughtUp } = isObject(page) ? page : {}
  if (!Array.isArray(events) || !isText(cursor) || !isFlag(caughtUp)) throw new Error('it is not a page of events')
  const wrong = events.find((event) => !isAccessEvent(event))
  if (wrong !== undefined) throw new Error(`an event is malformed: ${JSON.stringify(wrong).slice(0, 200)}`)

  const found = new Map((events as AccessEvent[]).map((event) => [event.id, event]))
  const ids = [...found.keys()]
  const end = String(cursor)
  const isInOrder = ids.every((id, index) => id <= end && (index === 0 || id > String(ids[index - 1])))
  if (!isInOrder || (after !== null && end < after)) throw new Error('its events or its cursor are out of order')
  if (!caughtUp && end === after) throw new Error('its cursor leads nowhere')
  return {
    events: [...found.values()].filter(({ id }) => after === null || id > after),
    cursor: end,
    caughtUp: caughtUp === true,
  }
}
