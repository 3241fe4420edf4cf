import type { Database, User } from '@floorpass/db'
import { policy } from '../kernel/policy.ts'
import { administratorProcedure } from '../trpc.ts'
import { listUsersInput } from './contract.ts'
import { orEstimate } from './count-all.ts'
import { findUsers, findUsersAmong, presentFoundUser } from './find-users.ts'

const { mostListed, exactCount } = policy.administration

/** Newest first. A search finds at most `mostFound` users, sorted by email. */
export const listUsers = administratorProcedure('user:list')
  .input(listUsersInput)
  .query(async ({ ctx, input }) => {
    const { searchValue, filterField, filterValue, limit = mostListed, offset = 0, after } = input ?? {}
    const isListed = toFilter(filterField, filterValue)
    if (searchValue !== undefined) {
      const found = isListed.isRare
        ? await findUsersAmong({ ctx }, isListed.where, searchValue)
        : (await findUsers({ ctx }, searchValue)).filter(isListed.test)
      return { users: found.slice(offset, offset + limit).map(presentFoundUser), total: found.length, limit, offset }
    }
    return ctx.replica.read(async (db) => {
      const where = { ...isListed.where, ...(after !== undefined && { id: { lt: after } }) }
      const users = await db.user.findMany({ where, orderBy: { id: 'desc' }, skip: offset, take: limit })
      return { users: users.map(presentFoundUser), total: await countUsers(db, isListed.where), limit, offset }
    })
  })

/** `isRare`: few users pass it, and an index lists them. */
type Filter = { where: object; test: (user: User) => boolean; isRare: boolean }

function toFilter(field: 'role' | 'banned' | undefined, value: string | undefined): Filter {
  if (field === undefined) return { where: {}, test: () => true, isRare: false }
  if (field === 'role') {
    const role = value === 'user' ? null : (value ?? null)
    return { where: { role }, test: (user) => user.role === role, isRare: role !== null }
  }
  const isBanned = value === 'true'
  return {
    where: { suspendedAt: isBanned ? { not: null } : null },
    test: ({ suspendedAt }) => (suspendedAt !== null) === isBanned,
    isRare: isBanned,
  }
}

async function countUsers(db: Database, where: object): Promise<number> {
  const counted = await db.user.count({ where, take: exactCount + 1 })
  return Object.keys(where).length > 0 ? counted : orEstimate(db, counted, 'users')
}
