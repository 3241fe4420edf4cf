import { z } from 'zod'
import { policy } from '../kernel/policy.ts'
import { reasonField, rowId, userIdField, wholeNumber } from './fields.ts'

const { mostListed } = policy.administration
const limit = wholeNumber(mostListed).default(mostListed).describe(`At most ${mostListed}`)

export const listRefusedMailsInput = z
  .strictObject({ after: rowId.optional().describe('The last id of the page before'), limit })
  .optional()

export const refusedMailInput = z.strictObject({ id: rowId.describe('The id of a refused mail') })

export const listWebhookDeliveriesInput = z.strictObject({ webhookId: rowId.describe('The id of a webhook'), limit })

export const listUserApiKeysInput = z.strictObject({ userId: userIdField })

export const revokeUserApiKeyInput = z.strictObject({
  keyId: rowId.describe('The id of an API key'),
  reason: reasonField,
})
