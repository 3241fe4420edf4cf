import { AppError } from '../kernel/errors.ts'
import { sessionProcedure } from '../trpc.ts'
import { checkSlugInput } from './contract.ts'

/** Whether a slug is free. ORGANIZATION_SLUG_ALREADY_TAKEN; a reserved one is a VALIDATION_ERROR. Only the creation decides. */
export const checkSlug = sessionProcedure.input(checkSlugInput).mutation(async ({ ctx, input }) => {
  await ctx.limiter.consume('check-slug:user', ctx.user.id)
  if ((await ctx.db.organization.count({ where: { slug: input.slug } })) > 0)
    throw new AppError('ORGANIZATION_SLUG_ALREADY_TAKEN')
  return { status: true as const }
})
