import { presentApiKey } from '../api-key-checks/present-api-key.ts'
import { sessionProcedure } from '../trpc.ts'
import { listApiKeysInput } from './contract.ts'
import { isOnlyConfiguration, requireKeyRole } from './key-owner.ts'

const columns = {
  createdAt: 'createdAt',
  updatedAt: 'updatedAt',
  name: 'name',
  expiresAt: 'expiresAt',
  lastRequest: 'lastUsedAt',
} as const

/** The caller's own keys, or those of an organization. Errors of `requireKeyRole`. */
export const listApiKeys = sessionProcedure.input(listApiKeysInput).query(async ({ ctx, input }) => {
  const { organizationId = null, configId, limit, offset, sortBy, sortDirection } = input
  if (organizationId !== null) await requireKeyRole(ctx.db, organizationId, ctx.user.id, 'read')
  const page = { ...(limit !== undefined && { limit }), ...(offset !== undefined && { offset }) }
  if (!isOnlyConfiguration(configId)) return { apiKeys: [], total: 0, ...page }
  const where = organizationId === null ? { userId: ctx.user.id, organizationId } : { organizationId }
  const [total, keys] = await Promise.all([
    ctx.db.apiKey.count({ where }),
    ctx.db.apiKey.findMany({
      where,
      orderBy: [{ [columns[sortBy]]: sortDirection }, { id: 'asc' }],
      ...(limit !== undefined && { take: limit }),
      ...(offset !== undefined && { skip: offset }),
    }),
  ])
  return { apiKeys: keys.map(presentApiKey), total, ...page }
})
