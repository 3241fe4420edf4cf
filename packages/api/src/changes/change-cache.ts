import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from './change-feed.ts'

/** Keeps rows in memory until the database announces a change of them or of their user. */
export type ChangeCache<Entry> = {
  /** Null when nothing in memory may be believed. */
  find(id: string): Entry | null
  has(id: string): boolean
  /** Returns what `load` reads. Its `keep` drops the entry if it or its user changed since the start. */
  read<Result>(id: string, load: Load<Entry, Result>): Promise<Result>
  size(): number
}

/** Reads from the database. `keep` puts an entry into the cache. */
export type Load<Entry, Result> = (keep: (entry: Entry) => void) => Promise<Result>

type Options<Entry> = {
  changes: ChangeFeed
  /** Of the changes that concern one entry. */
  kind: 'session' | 'key'
  size: number
  getUserId(entry: Entry): string
  onAdd?(entry: Entry, id: string): void
  onRemove?(entry: Entry, id: string): void
}

const maxChangedUsers = 100

type OpenRead = { id: string; isInvalidated: boolean; changedUsers: Set<string> }

export function createChangeCache<Entry extends object>({
  changes,
  kind: ownKind,
  size,
  getUserId,
  onAdd,
  onRemove,
}: Options<Entry>): ChangeCache<Entry> {
  const entries = new LRUCache<string, Entry>({
    max: size,
    dispose: (entry, id, reason) => {
      if (reason === 'set') return
      removeFromUser(getUserId(entry), id)
      onRemove?.(entry, id)
    },
  })
  const idsByUser = new Map<string, Set<string>>()
  const reads = new Set<OpenRead>()

  const removeFromUser = (userId: string, id: string): void => {
    const ids = idsByUser.get(userId)
    ids?.delete(id)
    if (ids?.size === 0) idsByUser.delete(userId)
  }
  const recordChangedUser = (read: OpenRead, userId: string): void => {
    if (read.isInvalidated) return
    read.changedUsers.add(userId)
    read.isInvalidated = read.changedUsers.size > maxChangedUsers
  }

  changes.subscribe({
    onChange(kind, id) {
      if (kind === ownKind) {
        entries.delete(id)
        for (const read of reads) if (read.id === id) read.isInvalidated = true
      } else if (kind === 'user') {
        for (const entryId of [...(idsByUser.get(id) ?? [])]) entries.delete(entryId)
        for (const read of reads) recordChangedUser(read, id)
      }
    },
    onReset() {
      entries.clear()
      for (const read of reads) read.isInvalidated = true
    },
  })

  return {
    find: (id) => (changes.isCurrent() ? (entries.get(id) ?? null) : null),
    has: (id) => entries.has(id),
    async read(id, load) {
      const read: OpenRead = { id, isInvalidated: !changes.isCurrent(), changedUsers: new Set() }
      reads.add(read)
      try {
        return await load((entry) => {
          const userId = getUserId(entry)
          if (read.isInvalidated || read.changedUsers.has(userId)) return
          entries.set(id, entry)
          onAdd?.(entry, id)
          idsByUser.set(userId, (idsByUser.get(userId) ?? new Set()).add(id))
        })
      } finally {
        reads.delete(read)
      }
    },
    size: () => entries.size,
  }
}
