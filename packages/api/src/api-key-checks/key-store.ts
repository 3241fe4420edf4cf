import { findKeyWithOwner, type KeyWithOwner, type Sql } from '@floorpass/db'
import { type ChangeCache, createChangeCache } from '../changes/change-cache.ts'
import type { ChangeFeed } from '../changes/change-feed.ts'
import { policy } from '../kernel/policy.ts'
import { hashToken } from '../kernel/random-token.ts'
import type { Client } from '../kernel/request.ts'
import type { DeviceScope } from '../known-devices/known-device.ts'
import type { SessionMisses } from '../sessions/session-misses.ts'
import { readKeySecret } from './key-secret.ts'

/** Keys by id, with an index of their secrets. The database announces every change of a key, its user and the user's roles. */
export type KeyCache = Pick<ChangeCache<KeyWithOwner>, 'find' | 'read' | 'size'> & {
  findId(secretHash: string): string | undefined
}

export function createKeyCache(changes: ChangeFeed, size: number = policy.apiKeys.inMemory): KeyCache {
  const idsBySecret = new Map<string, string>()
  const cache = createChangeCache<KeyWithOwner>({
    changes,
    kind: 'key',
    size,
    getUserId: ({ user }) => user.id,
    onAdd: ({ key: { secretHash } }, id) => void (secretHash !== null && idsBySecret.set(secretHash, id)),
    onRemove: ({ key: { secretHash } }) => void (secretHash !== null && idsBySecret.delete(secretHash)),
  })
  return { find: cache.find, read: cache.read, size: cache.size, findId: (secretHash) => idsBySecret.get(secretHash) }
}

type KeyScope = DeviceScope & { sql: Sql; client: Client; keyCache: KeyCache; sessionMisses: SessionMisses; gateway?: string }

/** In memory only. */
export function findCachedKey({ keyCache }: { keyCache: KeyCache }, presented: string): KeyWithOwner | null {
  const secret = readKeySecret(presented)
  const id = secret === null ? undefined : keyCache.findId(hashToken(secret))
  return id === undefined ? null : keyCache.find(id)
}

/** Null for an unknown secret. A key with a public key has none. TOO_MANY_REQUESTS. */
export async function findKeyBySecret(ctx: KeyScope, presented: string): Promise<KeyWithOwner | null> {
  const cached = findCachedKey(ctx, presented)
  if (cached) return cached
  const secret = readKeySecret(presented)
  if (secret === null) return null
  const { countMiss } = ctx.sessionMisses.startRead(ctx)
  const [row] = await ctx.sql.$queryRaw<{ id: string }[]>`SELECT id FROM api_keys WHERE secret_hash = ${hashToken(secret)}`
  if (row) return readKey(ctx, row.id)
  countMiss()
  return null
}

/** For a signed request, which names its key by the id. TOO_MANY_REQUESTS. */
export async function findSigningKey(ctx: KeyScope, id: string): Promise<KeyWithOwner | null> {
  const cached = ctx.keyCache.find(id)
  if (cached) return cached.key.publicKey ? cached : null
  const { countMiss } = ctx.sessionMisses.startRead(ctx)
  const found = await readKey(ctx, id)
  if (found?.key.publicKey) return found
  countMiss()
  return null
}

function readKey({ keyCache, sql }: KeyScope, id: string): Promise<KeyWithOwner | null> {
  return keyCache.read(id, async (keep) => {
    const found = await findKeyWithOwner(sql, id)
    if (found) keep(found)
    return found
  })
}
