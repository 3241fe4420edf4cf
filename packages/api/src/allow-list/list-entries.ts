import { sessionProcedure } from '../trpc.ts'
import { findAllowList } from './find-allow-list.ts'
import { presentEntry } from './present-entry.ts'

export const listEntries = sessionProcedure.query(async ({ ctx }) => {
  const userId = ctx.user.id
  const [state, entries] = await Promise.all([
    findAllowList(ctx.db, userId),
    ctx.db.allowListEntry.findMany({ where: { userId }, orderBy: { id: 'desc' } }),
  ])
  return { ...state, coolingOffHours: ctx.settings.protection.allowListHours, entries: entries.map(presentEntry) }
})
