import { z } from 'zod'
import { apiKeyAnswer, fellowMemberAnswer, organizationFields } from '../answers.ts'
import { policy } from '../kernel/policy.ts'

const date = z.iso.datetime().describe('UTC, with milliseconds')
const { exactCount } = policy.administration
const count = z.number().describe(`Exact up to ${exactCount}, then about right`)

/** One row for each event, with a header. */
export const csvAnswer = z.string()

export const countsAnswer = z.strictObject({
  users: count,
  suspendedUsers: count,
  organizations: count,
  sessions: count,
  refusedMails: count,
  failingWebhooks: z.int(),
})

export const refusedMailsAnswer = z.strictObject({
  mails: z.array(
    z.strictObject({
      id: z.string(),
      createdAt: date,
      attempts: z.int(),
      lastError: z.string().nullable(),
      expiresAt: date.nullable().describe('When its link expires: then it cannot be sent again'),
      to: z.string().nullable(),
      subject: z.string().nullable(),
    }),
  ),
})

export const webhooksAnswer = z.strictObject({
  webhooks: z.array(
    z.strictObject({
      id: z.string(),
      url: z.string(),
      types: z.array(z.string()).describe('Empty: all types'),
      contact: z.string(),
      createdBy: z.string(),
      createdAt: date,
      waiting: z.int().describe(`Deliveries that wait. ${exactCount + 1}: more than ${exactCount}`),
      failingSince: date.nullable(),
      pausedAt: date.nullable(),
      pauseReason: z.string().nullable(),
      publicKey: z.string().nullable(),
    }),
  ),
})

export const webhookDeliveriesAnswer = z.strictObject({
  deliveries: z.array(
    z.strictObject({
      event: z.string(),
      type: z.string(),
      status: z.string(),
      attempts: z.int(),
      answer: z.union([z.int(), z.string()]).nullable().describe('The status of the last answer, or why there was none'),
      createdAt: date,
      nextAttemptAt: date.nullable(),
      finishedAt: date.nullable(),
    }),
  ),
})

export const settingsAnswer = z.strictObject({
  settings: z.array(
    z.strictObject({
      name: z.string(),
      value: z.string().nullable().describe('What is in force. Null for a secret, and where nothing is'),
      isSet: z.boolean(),
      isSecret: z.boolean(),
      source: z.enum(['environment', 'file', 'default']),
    }),
  ),
})

export const servicesAnswer = z.strictObject({
  services: z.array(
    z.strictObject({
      name: z.string(),
      scopes: z.array(z.string()),
      createdBy: z.string(),
      createdAt: date,
      secrets: z.array(
        z.strictObject({ createdAt: date, lastUsedAt: date.nullable(), uses: z.int(), expiresAt: date.nullable() }),
      ),
    }),
  ),
})

export const userApiKeysAnswer = z.strictObject({ apiKeys: z.array(apiKeyAnswer) })

const foundOrganizationFields = { ...organizationFields, suspendedAt: date.nullable() }
export const foundOrganizationsAnswer = z.strictObject({
  organizations: z.array(z.strictObject(foundOrganizationFields).meta({ id: 'FoundOrganization' })),
  total: count,
})
export const organizationDetailsAnswer = z
  .strictObject({
    ...foundOrganizationFields,
    members: z.array(fellowMemberAnswer),
    pendingInvitations: z.int(),
    apiKeys: z.int(),
  })
  .meta({ id: 'OrganizationDetails' })
export const changedOrganizationAnswer = z.strictObject({ organization: organizationDetailsAnswer })
