import type { ChangeChannel, ChangeListener, Roles, Session, User } from '@floorpass/db'
import { LRUCache } from 'lru-cache'
import type { ByteText } from '../kernel/byte-text.ts'
import type { Log } from '../kernel/log.ts'
import { policy } from '../kernel/policy.ts'

/** Requests share this object: never change it in place. */
export type ActiveSession = { readonly session: Readonly<Session>; readonly user: Readonly<User>; readonly roles: Roles }

export type CachedSession = { active: ActiveSession; staleAt: number; extendAt: number; json?: ByteText }

/** `commit` drops the result if the session or user changed during the read. */
export type CacheFill = { commit(entry: CachedSession): void; end(): void }

export type SessionCacheStats = { hits: number; misses: number; size: number; channelUp: boolean }

/** The database announces every change (ADR 012). */
export type SessionCache = {
  find(id: string): CachedSession | null
  /** Also returns a session that is due for a new last-seen time: for callers that only look. */
  peek(id: string): CachedSession | null
  findId(handle: string): string | undefined
  has(id: string): boolean
  /** Call it before the read. Always call `end`. */
  read(id: string): CacheFill
  /** Resolves when the cache has applied every change committed before the call. */
  flush(): Promise<void>
  stats(): SessionCacheStats
  close(): Promise<void>
}

type CacheOptions = { listen(listener: ChangeListener): ChangeChannel; log: Log; size?: number }

const maxChangedUsers = 100

type OpenFill = CacheFill & { id: string; isInvalidated: boolean; changedUsers: Set<string> }

export function createSessionCache({ listen, log, size = policy.sessionsInMemory }: CacheOptions): SessionCache {
  const entries = new LRUCache<string, CachedSession>({
    max: size,
    dispose: ({ active }, id, reason) => {
      if (reason === 'set') return
      removeFromUser(active.user.id, id)
      idsByHandle.delete(active.session.handle)
    },
  })
  const idsByHandle = new Map<string, string>()
  const idsByUser = new Map<string, Set<string>>()
  const fills = new Set<OpenFill>()
  let hits = 0
  let misses = 0
  let wasDown = false

  const removeFromUser = (userId: string, id: string): void => {
    const ids = idsByUser.get(userId)
    ids?.delete(id)
    if (ids?.size === 0) idsByUser.delete(userId)
  }
  const invalidateAll = (): void => {
    entries.clear()
    for (const fill of fills) fill.isInvalidated = true
  }
  const recordChangedUser = (fill: OpenFill, userId: string): void => {
    if (fill.isInvalidated) return
    fill.changedUsers.add(userId)
    fill.isInvalidated = fill.changedUsers.size > maxChangedUsers
  }
  const onChange = (change: string): void => {
    const [kind, id = ''] = change.split(/:(.*)/s)
    if (kind === 'session') {
      entries.delete(id)
      for (const fill of fills) if (fill.id === id) fill.isInvalidated = true
    } else if (kind === 'user') {
      for (const sessionId of [...(idsByUser.get(id) ?? [])]) entries.delete(sessionId)
      for (const fill of fills) recordChangedUser(fill, id)
    } else {
      invalidateAll()
    }
  }

  const channel = listen({
    onChange,
    onUp() {
      invalidateAll()
      if (wasDown) log.info({}, 'session invalidation channel up')
      wasDown = false
    },
    onDown(reason) {
      invalidateAll()
      wasDown = true
      log.warn({ reason }, 'session invalidation channel down; reading sessions from the database')
    },
  })

  const findUntil = (id: string, getEnd: (entry: CachedSession) => number): CachedSession | null => {
    const entry = entries.get(id)
    if (!entry || getEnd(entry) <= Date.now() || !channel.isCurrent()) return null
    hits += 1
    return entry
  }
  const find = (id: string): CachedSession | null => findUntil(id, ({ staleAt }) => staleAt)

  return {
    find,
    findId: (handle) => idsByHandle.get(handle),
    peek: (id) => findUntil(id, ({ active }) => active.session.expiresAt.getTime()),
    has: (id) => entries.has(id),
    read(id) {
      misses += 1
      const fill: OpenFill = {
        id,
        isInvalidated: !channel.isCurrent(),
        changedUsers: new Set(),
        commit(entry) {
          const { user, session } = entry.active
          if (fill.isInvalidated || fill.changedUsers.has(user.id)) return
          entries.set(id, entry)
          idsByHandle.set(session.handle, id)
          idsByUser.set(user.id, (idsByUser.get(user.id) ?? new Set()).add(id))
        },
        end: () => void fills.delete(fill),
      }
      fills.add(fill)
      return fill
    },
    flush: () => channel.flush(),
    stats: () => ({ hits, misses, size: entries.size, channelUp: channel.isCurrent() }),
    close: () => channel.close(),
  }
}
