import type { ApiKey } from '@floorpass/db'
import { limits } from '../kernel/policy.ts'
import { toPermissions } from '../kernel/scopes.ts'
import type { SigningJwk } from './public-key.ts'

const { points, seconds } = limits['api-key:key']

/** better-auth's fields, and ours: `publicKey`, `ipAllowlist`, `lastUsedAt`, `lastUsedIp`, `createdBy`. */
export const presentApiKey = (key: ApiKey) => ({
  id: key.id,
  configId: 'default' as const,
  name: key.name,
  start: key.start,
  prefix: key.prefix,
  referenceId: key.organizationId ?? key.userId,
  enabled: key.enabled,
  expiresAt: key.expiresAt,
  createdAt: key.createdAt,
  updatedAt: key.updatedAt,
  lastRequest: key.lastUsedAt,
  requestCount: Number(key.uses),
  rateLimitEnabled: true as const,
  rateLimitTimeWindow: seconds * 1000,
  rateLimitMax: points,
  remaining: null,
  refillAmount: null,
  refillInterval: null,
  lastRefillAt: null,
  permissions: toPermissions(key.scopes),
  metadata: key.metadata as Record<string, unknown> | null,
  publicKey: key.publicKey as SigningJwk | null,
  ipAllowlist: key.ipAllowlist,
  lastUsedAt: key.lastUsedAt,
  lastUsedIp: key.lastUsedIp,
  createdBy: key.userId,
})
