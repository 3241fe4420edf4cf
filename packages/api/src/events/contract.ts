import { z } from 'zod'
import { expandTypes } from '../event-feed/event-types.ts'
import { policy } from '../kernel/policy.ts'

const { pageSize, longestPage, longestWait } = policy.events

const eventId = z
  .string()
  .regex(/^evt_\d{16}_[0-9a-f]{8}$/, 'Not the id of an event')
  .describe('The id of the last event that you have, or the cursor of the last answer')

export const typeFilter = z
  .string()
  .max(4096)
  .transform((text, context) => {
    const types = expandTypes(text.split(','))
    if (types !== null) return types
    context.addIssue({ code: 'custom', message: 'Unknown type of event' })
    return z.NEVER
  })
  .describe('Types separated by commas. `activity.*` stands for all types of the activity. Default: all')

/** Reject unknown parameters: a typo in `types` would otherwise return every event. */
export const followEventsInput = z.strictObject({
  after: eventId.optional(),
  since: z.iso
    .datetime()
    .optional()
    .describe(
      'Without `after`: start at the first event at or after this time, in UTC. A few older ones may follow it. Default: the oldest',
    ),
  types: typeFilter.optional(),
})

export const listEventsInput = followEventsInput.extend({
  limit: z.coerce.number().int().min(1).max(longestPage).default(pageSize),
  wait: z.coerce.number().int().min(0).max(longestWait).default(0).describe('Seconds to wait for an event if there is none'),
})
