import { z } from 'zod'
import { problem } from '../kernel/field-problems.ts'
import { visible } from '../kernel/fields.ts'
import { policy } from '../kernel/policy.ts'
import { scopes, toScopes } from '../kernel/scopes.ts'
import { passkeyAssertion } from '../passkeys/contract.ts'

export const apiKeyLimits = policy.apiKeys

const id = z.string().min(1).max(64)

const permissionNames = z.record(z.string().max(64), z.array(z.string().max(64)).max(32))

const permissions = permissionNames
  .refine(
    (given) =>
      Object.entries(given).every(([resource, actions]) =>
        actions.every((action) => scopes.some((scope) => scope === `${resource}:${action}`)),
      ),
    `Unknown permission. Known permissions: ${scopes.join(', ')}`,
  )
  .refine((given) => toScopes(given).length > 0, 'Give at least one permission')

/** The procedure refuses a wrong length with INVALID_NAME_LENGTH. */
const keyName = z
  .string()
  .trim()
  .max(1000, { abort: true })
  .refine((text) => text === '' || visible(z.string()).safeParse(text).success, problem('nameInvisibleCharacters'))

const cidr = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: 'Not an address or a CIDR range' })

const ipAllowlist = z.array(cidr).max(policy.apiKeys.ranges, `Too many: at most ${policy.apiKeys.ranges}`)

const publicKey = z.union([
  z.string().min(1).max(2000).describe('SPKI, in PEM'),
  // Loose, so that the procedure sees the field `d` of a private key.
  z.looseObject({
    kty: z.enum(['OKP', 'EC']),
    crv: z.enum(['Ed25519', 'P-256']),
    x: z.string().max(64),
    y: z.string().max(64).optional(),
  }),
])

const configId = z.string().max(64).optional()

/** Seconds. */
const expiresIn = z.number().int().nullable().optional()

const refused = (code: string) => z.unknown().optional().describe(`Refused with ${code}`)

/** better-auth's clients know these. The procedures refuse them with better-auth's codes. */
const serverOnly = {
  remaining: refused('SERVER_ONLY_PROPERTY'),
  refillAmount: refused('SERVER_ONLY_PROPERTY'),
  refillInterval: refused('SERVER_ONLY_PROPERTY'),
  rateLimitMax: refused('SERVER_ONLY_PROPERTY'),
  rateLimitTimeWindow: refused('SERVER_ONLY_PROPERTY'),
  rateLimitEnabled: refused('SERVER_ONLY_PROPERTY'),
}

export const serverOnlyFields = Object.keys(serverOnly) as (keyof typeof serverOnly)[]

const keyFields = {
  name: keyName.optional(),
  expiresIn,
  metadata: z.unknown().optional(),
  configId,
  permissions: permissions.optional(),
  ipAllowlist: ipAllowlist.optional(),
  passkey: passkeyAssertion.optional().describe('Confirms the permission `withdrawal: create`'),
  userId: refused('UNAUTHORIZED_SESSION'),
  ...serverOnly,
}

/** Strict: a mistyped limit would create a key without that limit. */
export const createApiKeyInput = z.strictObject({
  ...keyFields,
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9_-]*$/, 'Only letters, digits, dashes and underscores')
    .optional(),
  organizationId: id.optional(),
  publicKey: publicKey.optional(),
})

export const updateApiKeyInput = z.strictObject({ ...keyFields, keyId: id, enabled: z.boolean().optional() })

export const apiKeyInput = z.object({ id, configId })

export const deleteApiKeyInput = z.object({ keyId: id, configId })

const wholeNumber = (most: number) => z.coerce.number().int().min(0).max(most)

export const listApiKeysInput = z.object({
  organizationId: id.optional(),
  configId,
  limit: wholeNumber(1000).optional(),
  offset: wholeNumber(1_000_000).optional(),
  sortBy: z.enum(['createdAt', 'updatedAt', 'name', 'expiresAt', 'lastRequest']).default('createdAt'),
  sortDirection: z.enum(['asc', 'desc']).default('asc'),
})

const longestSecret = 512

/** A signed request as the service received it. */
const signedRequest = z.strictObject({
  method: z.string().regex(/^[A-Z]{1,16}$/),
  url: z.url().max(8192),
  headers: z.object({
    signature: z.string().max(4096),
    'signature-input': z.string().max(4096),
    'content-digest': z.string().max(1024).optional(),
  }),
  body: z
    .base64()
    .max(policy.largestBody)
    .optional()
    .describe('The bytes of the body. Without them, your service must compare the digest with the body itself'),
})

/** The validator drops a field named __proto__, and with it a requirement. */
const requiredPermissions = z.preprocess(
  (given) => (Object.hasOwn(Object(given), '__proto__') ? null : given),
  z.record(z.string().max(64), z.array(z.string().max(64)).min(1).max(32)),
)

/** Strict: a mistyped requirement would pass every key. */
export const verifyApiKeyInput = z
  .strictObject({
    key: z.string().min(1).max(longestSecret).optional(),
    request: signedRequest.optional(),
    permissions: requiredPermissions.optional(),
    ip: z.union([z.ipv4(), z.ipv6()]).optional().describe('The address of the caller. Required for a key with an ipAllowlist'),
    configId,
  })
  .refine(({ key, request }) => (key === undefined) !== (request === undefined), 'Provide either key or request')

export const reportApiKeyInput = z.object({
  key: z.string().min(1).max(longestSecret).describe('The secret, also with a prefix or other text around it'),
})
