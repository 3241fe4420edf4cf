import { mutation } from '../mutation.ts'
import { setPictureInput } from './contract.ts'
import { encodePicture } from './encode-picture.ts'
import { storePicture } from './store-picture.ts'

/** Replaces the caller's picture with an uploaded file. INVALID_PICTURE, PICTURE_TOO_LARGE. */
export const setPicture = mutation({
  access: 'session',
  sensitive: false,
  input: setPictureInput,
  limit: 'set-picture:user',
  events: ['update-user'],
  mails: [],
  cookies: [],

  prepare: ({ input }) => encodePicture(Buffer.from(input.picture, 'base64')),
  lock: 'caller',
  async change(tx, { ctx, prepared }) {
    const result = await storePicture(ctx, tx, ctx.user.id, prepared)
    return { events: [{ action: 'update-user', details: { fields: 'image' } }], result }
  },
})
