import { z } from 'zod'
import { type AccessEventType, accessEventTypes, type EventType } from './event-types.ts'

const userId = z.string().describe('The user whom the change concerns')
const organizationId = z.string()
const time = z.iso.datetime()

/** Ids and what changed: no personal data, no secret. */
const accessData = {
  'session.ended': z
    .strictObject({ userId, sessionId: z.string().describe('The `sid` of its access tokens') })
    .describe(
      "A session was revoked or signed out, or ended with its user. A session that expires has no event: `exp` of its access tokens never exceeds the session's end",
    ),
  'key.changed': z
    .strictObject({
      userId,
      organizationId: organizationId.optional(),
      keyId: z.string(),
      enabled: z.boolean(),
      expiresAt: time.nullable(),
    })
    .describe('An API key was disabled, enabled or changed: read it again'),
  'key.ended': z
    .strictObject({ userId, organizationId: organizationId.optional(), keyId: z.string() })
    .describe('An API key was deleted or reported, or ended with its owner'),
  'membership.changed': z
    .strictObject({
      userId,
      organizationId,
      role: z.string(),
      accepted: z.boolean().describe('False while an added member has not accepted'),
      heldUntil: time
        .nullable()
        .describe('Withdrawals for the organization are on hold until then. The end has no event: compare it with the clock'),
    })
    .describe('A membership began or was accepted, its role or hold changed, or its organization was restored'),
  'membership.ended': z
    .strictObject({ userId, organizationId })
    .describe('A user left or was removed, or their account was deleted, or the organization was deleted or suspended'),
  'user.access-changed': z
    .strictObject({
      userId,
      suspended: z.boolean(),
      tradingEnabled: z.boolean(),
      heldUntil: time.nullable().describe('Withdrawals are on hold until then. The end has no event: compare it with the clock'),
      locked: z.boolean().describe('The account is locked, until `unlockAt` if that is set. Compare it with the clock'),
      unlockAt: time.nullable(),
    })
    .describe('A suspension, a hold, a lock or the right to trade began, changed or ended'),
  'user.deleted': z.strictObject({ userId }).describe('An account was deleted, with its sessions and keys'),
} satisfies Record<AccessEventType, z.ZodType>

const activityData = z
  .strictObject({
    userId,
    organizationId: organizationId.optional(),
    succeeded: z.boolean().describe('False for a refused attempt'),
    actor: z.string().describe('`user:<id>`, `operator`, `service:<name>`, or `report` for the finder of a leaked key'),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  })
  .describe('An entry of the activity')

export const dataSchemaOf = (type: EventType): z.ZodType => (isAccessEvent(type) ? accessData[type] : activityData)

const isAccessEvent = (type: EventType): type is AccessEventType => accessEventTypes.some((known) => known === type)
