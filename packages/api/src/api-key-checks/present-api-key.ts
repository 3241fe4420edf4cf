import type { ApiKey, KeyWithOwner } from '@floorpass/db'
import { limits } from '../kernel/policy.ts'
import { toPermissions } from '../kernel/scopes.ts'
import type { SigningJwk } from './public-key.ts'

const { points, seconds } = limits['api-key:key']

/** The fields that no use changes: better-auth's, and ours: `publicKey`, `ipAllowlist`. */
export const presentKeySettings = (key: KeyWithOwner['key']) => ({
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
  permissions: toPermissions(key.scopes),
  metadata: key.metadata as Record<string, unknown> | null,
  publicKey: key.publicKey as SigningJwk | null,
  ipAllowlist: key.ipAllowlist,
})

/** With the uses: better-auth's fields, and ours: `lastUsedAt`, `lastUsedIp`, `createdBy`. */
export const presentApiKey = (key: ApiKey) => ({
  ...presentKeySettings(key),
  lastRequest: key.lastUsedAt,
  requestCount: Number(key.uses),
  rateLimitEnabled: true as const,
  rateLimitTimeWindow: seconds * 1000,
  rateLimitMax: points,
  remaining: null,
  refillAmount: null,
  refillInterval: null,
  lastRefillAt: null,
  lastUsedAt: key.lastUsedAt,
  lastUsedIp: key.lastUsedIp,
  createdBy: key.userId,
})
