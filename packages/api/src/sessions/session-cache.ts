import type { ChangeChannel, ChangeListener, Session, User } from '@floorpass/db'
import { LRUCache } from 'lru-cache'
import type { Log } from '../kernel/log.ts'
import { policy } from '../kernel/policy.ts'

/** A live session and its user. Shared between requests: never change it in place. */
export type ActiveSession = { readonly session: Readonly<Session>; readonly user: Readonly<User> }

/** A session in memory. It opens until `staleAt` (milliseconds of the clock) and not a moment longer: then the database is asked. */
export type CachedSession = { active: ActiveSession; staleAt: number; json?: Buffer }

/** A look at the database whose result may be kept, unless what it read was changed meanwhile. */
export type CacheFill = { commit(entry: CachedSession): void; end(): void }

export type SessionCacheStats = { hits: number; misses: number; size: number; channelUp: boolean }

/** Hot sessions in front of the database. See docs/decisions/012. */
export type SessionCache = {
  find(id: string): CachedSession | null
  /** Whether the session was found lately, due or not. */
  has(id: string): boolean
  /** Begin it before the read, and end it whatever happens. */
  read(id: string): CacheFill
  /** Resolves when every change that was committed before the call has left this memory. */
  settle(): Promise<void>
  /** Counted since the start, for metrics: a miss is a session that was read from the database. */
  stats(): SessionCacheStats
  close(): Promise<void>
}

type CacheOptions = { listen(listener: ChangeListener): ChangeChannel; log: Log; size?: number }

/** More of them while one fill is under way, and it is not kept. */
const mostChangedUsers = 100

type OpenFill = CacheFill & { id: string; isInvalidated: boolean; changedUsers: Set<string> }

export function createSessionCache({ listen, log, size = policy.sessionsInMemory }: CacheOptions): SessionCache {
  const entries = new LRUCache<string, CachedSession>({
    max: size,
    dispose: ({ active }, id, reason) => {
      if (reason !== 'set') forgetOwner(active.user.id, id)
    },
  })
  const idsByUser = new Map<string, Set<string>>()
  const fills = new Set<OpenFill>()
  let hits = 0
  let misses = 0
  let wasDown = false

  const forgetOwner = (userId: string, id: string): void => {
    const ids = idsByUser.get(userId)
    ids?.delete(id)
    if (ids?.size === 0) idsByUser.delete(userId)
  }
  const forgetAll = (): void => {
    entries.clear()
    for (const fill of fills) fill.isInvalidated = true
  }
  /** Whose session is being read is not known before it was. Of a change of many users not each is remembered. */
  const noteUser = (fill: OpenFill, userId: string): void => {
    if (fill.isInvalidated) return
    fill.changedUsers.add(userId)
    fill.isInvalidated = fill.changedUsers.size > mostChangedUsers
  }
  const onChange = (change: string): void => {
    const [kind, id = ''] = change.split(/:(.*)/s)
    if (kind === 'session') {
      entries.delete(id)
      for (const fill of fills) if (fill.id === id) fill.isInvalidated = true
    } else if (kind === 'user') {
      for (const sessionId of [...(idsByUser.get(id) ?? [])]) entries.delete(sessionId)
      for (const fill of fills) noteUser(fill, id)
    } else {
      forgetAll()
    }
  }

  const channel = listen({
    onChange,
    onUp() {
      forgetAll()
      if (wasDown) log.info({}, 'sessions are kept in memory again')
      wasDown = false
    },
    onDown(reason) {
      forgetAll()
      wasDown = true
      log.warn({ reason }, 'changes of sessions are not heard: until they are, every request reads its session from the database')
    },
  })

  return {
    find(id) {
      const entry = entries.get(id)
      if (entry && entry.staleAt > Date.now() && channel.isCurrent()) {
        hits += 1
        return entry
      }
      return null
    },
    has: (id) => entries.has(id),
    read(id) {
      misses += 1
      const fill: OpenFill = {
        id,
        isInvalidated: !channel.isCurrent(),
        changedUsers: new Set(),
        commit(entry) {
          const { user } = entry.active
          if (fill.isInvalidated || fill.changedUsers.has(user.id)) return
          entries.set(id, entry)
          idsByUser.set(user.id, (idsByUser.get(user.id) ?? new Set()).add(id))
        },
        end: () => void fills.delete(fill),
      }
      fills.add(fill)
      return fill
    },
    settle: () => channel.settle(),
    stats: () => ({ hits, misses, size: entries.size, channelUp: channel.isCurrent() }),
    close: () => channel.close(),
  }
}
