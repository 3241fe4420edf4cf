import type { Account, Transaction, User } from '@floorpass/db'
import type { Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { isLocked } from '../kernel/account-protection.ts'
import { imageUrl } from '../kernel/fields.ts'
import { type Mails, sendAccountLinked } from '../mail/notifications.ts'
import type { SocialIdentity, SocialProvider } from '../social/social-provider.ts'
import { startHold } from '../users/start-hold.ts'
import { SocialRefusal } from './social-refusal.ts'

export type LinkContext = Context & Records<'link-account'> & Mails<'account-linked'>

export async function linkIdentity(
  ctx: LinkContext,
  tx: Transaction,
  { id: userId, ...user }: User,
  provider: SocialProvider,
  identity: SocialIdentity,
  { isNew }: { isNew: boolean } = { isNew: false },
): Promise<void> {
  if (isLocked(user)) throw new SocialRefusal('account_locked')
  const key = { providerId: provider.id, accountId: identity.subject }
  const { count } = await tx.account.createMany({
    data: { userId, ...key, ...buildColumns(ctx, { userId, ...key }, identity) },
    skipDuplicates: true,
  })
  if (count === 0) {
    const existing = await tx.account.findUnique({ where: { providerId_accountId: key } })
    if (!existing) throw new SocialRefusal('state_mismatch')
    if (existing.userId !== userId) throw new SocialRefusal('account_already_linked_to_different_user')
    await tx.account.update({ where: { id: existing.id }, data: buildColumns(ctx, existing, identity) })
    return
  }
  const unlinkedProviders = user.unlinkedProviders.filter((unlinked) => unlinked !== provider.id)
  await tx.user.update({ where: { id: userId }, data: { unlinkedProviders } })
  await ctx.record(tx, { userId, action: 'link-account', details: { provider: provider.id } })
  if (isNew) return
  await startHold(ctx, tx, userId, 'link-account')
  await sendAccountLinked(ctx, tx, { id: userId, ...user }, provider.name)
}

export async function recordIdentityUse(
  ctx: Context,
  tx: Transaction,
  userId: string,
  { id: providerId }: SocialProvider,
  identity: SocialIdentity,
): Promise<void> {
  const key = { userId, providerId, accountId: identity.subject }
  await tx.account.updateMany({ where: key, data: { ...buildColumns(ctx, key, identity), lastUsedAt: new Date() } })
}

type AccountKey = Pick<Account, 'userId' | 'providerId' | 'accountId'>

/** What the provider told now. */
function buildColumns({ secretBox }: Context, { userId, providerId, accountId }: AccountKey, { tokens, image }: SocialIdentity) {
  const seal = (kind: 'access' | 'refresh', token: string) =>
    secretBox.seal(token, [`accounts.${kind}_token_sealed`, providerId, accountId, userId])
  return {
    accessTokenSealed: seal('access', tokens.accessToken),
    ...(tokens.refreshToken !== null && { refreshTokenSealed: seal('refresh', tokens.refreshToken) }),
    tokenExpiresAt: tokens.expiresAt,
    scopes: tokens.scopes,
    pictureUrl: imageUrl.safeParse(image).data ?? null,
  }
}
