import type { Memberships, Session, User } from '@floorpass/db'
import { createChangeCache, type Load } from '../changes/change-cache.ts'
import type { ChangeFeed } from '../changes/change-feed.ts'
import type { ByteText } from '../kernel/byte-text.ts'
import { policy } from '../kernel/policy.ts'

/** Requests share this object: never change it in place. */
export type ActiveSession = {
  readonly session: Readonly<Session>
  readonly user: Readonly<User>
  readonly memberships: Memberships
}

export type CachedSession = { active: ActiveSession; staleAt: number; extendAt: number; json?: ByteText }

export type SessionCacheStats = { hits: number; misses: number; size: number; channelUp: boolean }

/** The database announces every change (ADR 012). */
export type SessionCache = {
  find(id: string): CachedSession | null
  /** Also returns a session that is due for a new last-seen time: for callers that only look. */
  peek(id: string): CachedSession | null
  findId(handle: string): string | undefined
  has(id: string): boolean
  /** Returns what `load` reads. Its `keep` drops the session if it or its user changed since the start. */
  read<Result>(id: string, load: Load<CachedSession, Result>): Promise<Result>
  stats(): SessionCacheStats
}

type CacheOptions = { changes: ChangeFeed; size?: number }

export function createSessionCache({ changes, size = policy.sessionsInMemory }: CacheOptions): SessionCache {
  const idsByHandle = new Map<string, string>()
  const cache = createChangeCache<CachedSession>({
    changes,
    kind: 'session',
    size,
    getUserId: ({ active }) => active.user.id,
    onAdd: ({ active }, id) => void idsByHandle.set(active.session.handle, id),
    onRemove: ({ active }) => void idsByHandle.delete(active.session.handle),
  })
  let hits = 0
  let misses = 0

  const findUntil = (id: string, getEnd: (entry: CachedSession) => number): CachedSession | null => {
    const entry = cache.find(id)
    if (!entry || getEnd(entry) <= Date.now()) return null
    hits += 1
    return entry
  }

  return {
    find: (id) => findUntil(id, ({ staleAt }) => staleAt),
    peek: (id) => findUntil(id, ({ active }) => active.session.expiresAt.getTime()),
    findId: (handle) => idsByHandle.get(handle),
    has: cache.has,
    read(id, load) {
      misses += 1
      return cache.read(id, load)
    },
    stats: () => ({ hits, misses, size: cache.size(), channelUp: changes.isCurrent() }),
  }
}
