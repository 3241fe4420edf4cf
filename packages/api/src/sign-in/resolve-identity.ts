import type { Transaction, User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { fieldLengths } from '../kernel/field-problems.ts'
import { imageUrl, personName } from '../kernel/fields.ts'
import type { SocialIdentity, SocialProvider } from '../social/social-provider.ts'
import { buildUnverifiedUser } from '../users/build-unverified-user.ts'
import { claimImportedUser } from '../users/claim-imported-user.ts'
import { deleteUnverifiedUser } from '../users/delete-unverified-user.ts'
import { lockUser } from '../users/lock-user.ts'
import type { VerifyContext } from '../users/mark-email-verified.ts'
import { type LinkContext, linkIdentity, recordIdentityUse } from './link-identity.ts'
import { SocialRefusal } from './social-refusal.ts'

type ResolvedUser = { user: User; isNew: boolean }

/** Locks and returns the user. Links by email only when both sides verified it. A suspended user is unchanged. */
export async function resolveIdentity(
  ctx: LinkContext & VerifyContext,
  tx: Transaction,
  provider: SocialProvider,
  identity: SocialIdentity,
): Promise<ResolvedUser> {
  const linked = await findLinkedUser(tx, provider, identity)
  if (linked) {
    await lockUser(tx, linked.id)
    // The identity may have been unlinked before the lock.
    const user = await findLinkedUser(tx, provider, identity)
    if (user?.id !== linked.id) throw new SocialRefusal('state_mismatch')
    if (!user.suspendedAt) await recordIdentityUse(ctx, tx, user.id, provider, identity)
    return { user, isNew: false }
  }
  if (identity.email === null) throw new SocialRefusal('email_not_found')
  // Check this before the lookup: the error must not reveal whether the email has an account.
  if (!identity.emailVerified) throw new SocialRefusal('email_not_verified')

  await deleteUnverifiedUser(tx, identity.email)
  await claimImportedUser(ctx, tx, identity.email)
  const created = buildUser(ctx, identity, identity.email)
  // Of two concurrent callbacks, the unique email lets one create the user.
  const { count } = await tx.user.createMany({ data: created, skipDuplicates: true })
  const user = count === 1 ? created : await lockEmailOwner(tx, provider, identity.email)
  if (user.suspendedAt) return { user, isNew: false }
  await linkIdentity(ctx, tx, user, provider, identity, { isNew: count === 1 })
  await recordIdentityUse(ctx, tx, user.id, provider, identity)
  return { user, isNew: count === 1 }
}

const findLinkedUser = async (
  tx: Transaction,
  { id: providerId }: SocialProvider,
  { subject }: SocialIdentity,
): Promise<User | null> =>
  (await tx.account.findUnique({ where: { providerId_accountId: { providerId, accountId: subject } }, include: { user: true } }))
    ?.user ?? null

async function lockEmailOwner(tx: Transaction, { id: providerId }: SocialProvider, email: string): Promise<User> {
  const candidate = await tx.user.findUnique({ where: { email } })
  await lockUser(tx, candidate?.id ?? null)
  const owner = await tx.user.findUnique({ where: { id: candidate?.id ?? '', email } })
  if (!owner) throw new SocialRefusal('state_mismatch')
  if (!owner.emailVerified || owner.unlinkedProviders.includes(providerId)) throw new SocialRefusal('account_not_linked')
  return owner
}

function buildUser(ctx: Context, { name, image }: SocialIdentity, email: string): User {
  const readableName = personName.safeParse([...name].slice(0, fieldLengths.name).join(''))
  const usableImage = imageUrl.safeParse(image)
  const profile = { name: readableName.success ? readableName.data : (email.split('@')[0] ?? email), image: usableImage.data }
  return { ...buildUnverifiedUser(ctx, { ...profile, email }), emailVerified: true }
}
