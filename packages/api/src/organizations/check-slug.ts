import { AppError } from '../kernel/errors.ts'
import { sessionProcedure } from '../trpc.ts'
import { checkSlugInput } from './contract.ts'

/** Checks that a slug is free, without reserving it. ORGANIZATION_SLUG_ALREADY_TAKEN. */
export const checkSlug = sessionProcedure.input(checkSlugInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('check-slug:user', ctx.user.id)
  if ((await ctx.db.organization.count({ where: { slug: input.slug } })) > 0)
    throw new AppError('ORGANIZATION_SLUG_ALREADY_TAKEN')
  return { status: true as const }
})
