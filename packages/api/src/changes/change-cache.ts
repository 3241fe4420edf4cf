import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from './change-feed.ts'

/** `commit` drops the entry if it or its user changed during the read. */
export type CacheFill<Entry> = { commit(entry: Entry): void; end(): void }

/** Keeps rows in memory until the database announces a change of them or of their user. */
export type ChangeCache<Entry> = {
  /** Null when nothing in memory may be believed. */
  find(id: string): Entry | null
  has(id: string): boolean
  /** Call it before the read. Always call `end`. */
  read(id: string): CacheFill<Entry>
  size(): number
}

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

type OpenFill<Entry> = CacheFill<Entry> & { id: string; isInvalidated: boolean; changedUsers: Set<string> }

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
  const fills = new Set<OpenFill<Entry>>()

  const removeFromUser = (userId: string, id: string): void => {
    const ids = idsByUser.get(userId)
    ids?.delete(id)
    if (ids?.size === 0) idsByUser.delete(userId)
  }
  const recordChangedUser = (fill: OpenFill<Entry>, userId: string): void => {
    if (fill.isInvalidated) return
    fill.changedUsers.add(userId)
    fill.isInvalidated = fill.changedUsers.size > maxChangedUsers
  }

  changes.subscribe({
    onChange(kind, id) {
      if (kind === ownKind) {
        entries.delete(id)
        for (const fill of fills) if (fill.id === id) fill.isInvalidated = true
      } else if (kind === 'user') {
        for (const entryId of [...(idsByUser.get(id) ?? [])]) entries.delete(entryId)
        for (const fill of fills) recordChangedUser(fill, id)
      }
    },
    onReset() {
      entries.clear()
      for (const fill of fills) fill.isInvalidated = true
    },
  })

  return {
    find: (id) => (changes.isCurrent() ? (entries.get(id) ?? null) : null),
    has: (id) => entries.has(id),
    read(id) {
      const fill: OpenFill<Entry> = {
        id,
        isInvalidated: !changes.isCurrent(),
        changedUsers: new Set(),
        commit(entry) {
          const userId = getUserId(entry)
          if (fill.isInvalidated || fill.changedUsers.has(userId)) return
          entries.set(id, entry)
          onAdd?.(entry, id)
          idsByUser.set(userId, (idsByUser.get(userId) ?? new Set()).add(id))
        },
        end: () => void fills.delete(fill),
      }
      fills.add(fill)
      return fill
    },
    size: () => entries.size,
  }
}
