import { AppError } from '../kernel/errors.ts'
import { mutation } from '../mutation.ts'
import { takeProviderPictureInput } from './contract.ts'
import { encodePicture } from './encode-picture.ts'
import { fetchProviderPicture } from './fetch-provider-picture.ts'
import { storePicture } from './store-picture.ts'

/** Copies the picture of a linked account. ACCOUNT_NOT_FOUND, PICTURE_NOT_FOUND, PROVIDER_UNAVAILABLE, INVALID_PICTURE. */
export const takeProviderPicture = mutation({
  access: 'session',
  sensitive: false,
  input: takeProviderPictureInput,
  limit: 'set-picture:user',
  events: ['update-user'],
  mails: [],
  cookies: [],

  async prepare({ ctx, input: { providerId } }) {
    const account = await ctx.db.account.findFirst({
      where: { userId: ctx.user.id, providerId },
      // A user may have two accounts of one provider.
      orderBy: [{ lastUsedAt: { sort: 'desc', nulls: 'last' } }, { id: 'asc' }],
    })
    if (!account) throw new AppError('ACCOUNT_NOT_FOUND')
    if (account.pictureUrl === null) throw new AppError('PICTURE_NOT_FOUND')
    const file = await fetchProviderPicture(account.pictureUrl, ctx.settings.pictureOrigins)
    return { accountId: account.id, content: await encodePicture(file) }
  },
  lock: 'caller',
  async change(tx, { ctx, prepared: { accountId, content } }) {
    const userId = ctx.user.id
    // It may have been unlinked since.
    if ((await tx.account.count({ where: { id: accountId, userId } })) === 0) throw new AppError('ACCOUNT_NOT_FOUND')
    const result = await storePicture(ctx, tx, userId, content)
    return { events: [{ action: 'update-user', details: { fields: 'image' } }], result }
  },
})
