import type { Transaction, User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { mailAccountLinked } from '../mails.ts'
import { recordAuditEvent } from '../security/audit-log.ts'
import type { SocialIdentity, SocialProvider } from '../social-provider.ts'
import { SocialRefusal } from './social-refusal.ts'

/** Gives a user another way in, and tells them, unless it came with the account. One that is somebody else's stays theirs. */
export async function linkIdentity(
  ctx: Context,
  tx: Transaction,
  { id: userId, ...user }: User,
  provider: SocialProvider,
  identity: SocialIdentity,
  { isNew }: { isNew: boolean } = { isNew: false },
): Promise<void> {
  const key = { providerId: provider.id, accountId: identity.subject }
  const { count } = await tx.account.createMany({
    data: { userId, ...key, ...sealedTokens(ctx, identity) },
    skipDuplicates: true,
  })
  if (count === 0) {
    const holder = await tx.account.findUnique({ where: { providerId_accountId: key } })
    if (!holder) throw new SocialRefusal('state_mismatch')
    if (holder.userId !== userId) throw new SocialRefusal('account_already_linked_to_different_user')
    await tx.account.update({ where: { id: holder.id }, data: sealedTokens(ctx, identity) })
    return
  }
  const unlinkedProviders = user.unlinkedProviders.filter((unlinked) => unlinked !== provider.id)
  await tx.user.update({ where: { id: userId }, data: { unlinkedProviders } })
  await recordAuditEvent(tx, ctx.client, { userId, action: 'link-account', details: { provider: provider.id } })
  if (!isNew) await mailAccountLinked(ctx, tx, { id: userId, ...user }, provider.name)
}

/** A sign-in through a linked identity: when, and its newest tokens. */
export async function noteUse(
  ctx: Context,
  tx: Transaction,
  { id: providerId }: SocialProvider,
  identity: SocialIdentity,
): Promise<void> {
  await tx.account.updateMany({
    where: { providerId, accountId: identity.subject },
    data: { ...sealedTokens(ctx, identity), lastUsedAt: new Date() },
  })
}

const sealedTokens = ({ secretBox }: Context, { tokens }: SocialIdentity) => ({
  accessTokenSealed: secretBox.seal(tokens.accessToken),
  ...(tokens.refreshToken !== null && { refreshTokenSealed: secretBox.seal(tokens.refreshToken) }),
  tokenExpiresAt: tokens.expiresAt,
  scopes: tokens.scopes,
})
