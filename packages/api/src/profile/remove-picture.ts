import { mutation } from '../mutation.ts'

/** Removes the caller's picture, ours or one at another address. */
export const removePicture = mutation({
  access: 'session',
  sensitive: false,
  input: null,
  limit: 'update-user:user',
  events: ['update-user'],
  mails: [],
  cookies: [],

  lock: 'caller',
  async change(tx, { ctx }) {
    const { count } = await tx.user.updateMany({ where: { id: ctx.user.id, image: { not: null } }, data: { image: null } })
    return {
      events: count > 0 ? [{ action: 'update-user', details: { fields: 'image' } }] : [],
      result: { status: true as const },
    }
  },
})
