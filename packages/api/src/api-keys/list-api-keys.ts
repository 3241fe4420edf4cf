import { presentApiKey } from '../api-key-checks/present-api-key.ts'
import { sessionProcedure } from '../trpc.ts'
import { listApiKeysInput } from './contract.ts'
import { requireKeyRole } from './key-owner.ts'

const columns = {
  createdAt: 'createdAt',
  updatedAt: 'updatedAt',
  name: 'name',
  expiresAt: 'expiresAt',
  lastRequest: 'lastUsedAt',
} as const

/** The caller's own keys, or those of an organization. Errors of `requireKeyRole`. */
export const listApiKeys = sessionProcedure.input(listApiKeysInput).query(async ({ ctx, input }) => {
  const { organizationId = null, configId = 'default', limit, offset, sortBy, sortDirection } = input
  if (organizationId !== null) await requireKeyRole(ctx.db, organizationId, ctx.user.id, 'read')
  const owner = organizationId === null ? { userId: ctx.user.id, organizationId } : { organizationId }
  const where = configId === 'default' ? owner : { ...owner, id: '' }
  const [total, keys] = await Promise.all([
    ctx.db.apiKey.count({ where }),
    ctx.db.apiKey.findMany({
      where,
      orderBy: [{ [columns[sortBy]]: sortDirection }, { id: 'asc' }],
      ...(limit !== undefined && { take: limit }),
      ...(offset !== undefined && { skip: offset }),
    }),
  ])
  return {
    apiKeys: keys.map(presentApiKey),
    total,
    ...(limit !== undefined && { limit }),
    ...(offset !== undefined && { offset }),
  }
})
