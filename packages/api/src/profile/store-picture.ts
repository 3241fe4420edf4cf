import type { Transaction } from '@floorpass/db'
import type { Context } from '../context.ts'
import { createToken } from '../kernel/random-token.ts'
import { pictureAddress } from '../users/picture-address.ts'

/** Replaces the picture of a locked user. Returns its address. */
export async function storePicture(
  { settings }: Context,
  tx: Transaction,
  userId: string,
  content: Uint8Array<ArrayBuffer>,
): Promise<{ image: string }> {
  // Browsers keep a picture for good, so another picture needs another name.
  const name = createToken()
  const image = pictureAddress(settings.baseUrl, name)
  const picture = { name, content, createdAt: new Date() }
  await tx.profilePicture.upsert({ where: { userId }, create: { userId, ...picture }, update: picture })
  await tx.user.update({ where: { id: userId }, data: { image } })
  return { image }
}
