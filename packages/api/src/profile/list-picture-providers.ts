import type { ProviderId } from '../kernel/provider-ids.ts'
import { sessionProcedure } from '../trpc.ts'
import { isAllowedPicture } from './fetch-provider-picture.ts'

/** Lists the linked providers whose picture the caller can take. */
export const listPictureProviders = sessionProcedure.query(async ({ ctx }) => {
  const accounts = await ctx.db.account.findMany({ where: { userId: ctx.user.id, pictureUrl: { not: null } } })
  const offered = accounts.filter(({ pictureUrl }) => isAllowedPicture(pictureUrl ?? '', ctx.settings.pictureOrigins))
  return [...new Set(offered.map(({ providerId }) => providerId as ProviderId))]
})
