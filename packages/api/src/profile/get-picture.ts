import { AppError } from '../kernel/errors.ts'
import { publicProcedure } from '../trpc.ts'
import { getPictureInput } from './contract.ts'

/** Returns the picture of that name as WebP in base64. Anyone who knows the name may see it. PICTURE_NOT_FOUND. */
export const getPicture = publicProcedure.input(getPictureInput).query(async ({ ctx, input: { name } }) => {
  const picture = await ctx.db.profilePicture.findUnique({ where: { name }, select: { content: true } })
  if (!picture) throw new AppError('PICTURE_NOT_FOUND')
  return { picture: Buffer.from(picture.content).toString('base64') }
})
