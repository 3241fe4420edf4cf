import { randomUUIDv7 } from 'node:crypto'
import type { Transaction, User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { fieldLengths } from '../kernel/field-problems.ts'
import { imageUrl, personName } from '../kernel/fields.ts'
import type { SocialIdentity, SocialProvider } from '../social/social-provider.ts'
import { claimImportedUser } from '../users/claim-imported-user.ts'
import { deleteUnverifiedUser } from '../users/delete-unverified-user.ts'
import { lockUser } from '../users/lock-user.ts'
import { linkIdentity, noteUse } from './link-identity.ts'
import { SocialRefusal } from './social-refusal.ts'

type Resolved = { user: User; isNew: boolean }

/**
 * Whose identity it is: the user it is linked to; else the one with the same address, proved on both sides, who gets it linked;
 * else a new user. An unproved address is nobody's: a sign-up that never proved it goes, with all it left, when a provider proves it;
 * an imported user stays, without its former ways in.
 * The user is locked from here on. A suspended one is returned with nothing changed.
 */
export async function resolveIdentity(
  ctx: Context,
  tx: Transaction,
  provider: SocialProvider,
  identity: SocialIdentity,
): Promise<Resolved> {
  const linked = await findLinked(tx, provider, identity)
  if (linked) {
    await lockUser(tx, linked.id)
    // What ended the link while this waited also ends this.
    const user = await findLinked(tx, provider, identity)
    if (user?.id !== linked.id) throw new SocialRefusal('state_mismatch')
    if (!user.suspendedAt) await noteUse(ctx, tx, user.id, provider, identity)
    return { user, isNew: false }
  }
  if (identity.email === null) throw new SocialRefusal('email_not_found')
  // The same whether the address has an account: an unproved one must not tell.
  if (!identity.emailVerified) throw new SocialRefusal('email_not_verified')

  await deleteUnverifiedUser(tx, identity.email)
  await claimImportedUser(ctx, tx, identity.email)
  const created = newUser(ctx, identity, identity.email)
  // Two callbacks of one new person: the unique address lets one create, the other waits here and then finds the row.
  const { count } = await tx.user.createMany({ data: created, skipDuplicates: true })
  const user = count === 1 ? created : await lockOwner(tx, provider, identity.email)
  if (user.suspendedAt) return { user, isNew: false }
  await linkIdentity(ctx, tx, user, provider, identity, { isNew: count === 1 })
  await noteUse(ctx, tx, user.id, provider, identity)
  return { user, isNew: count === 1 }
}

const findLinked = async (
  tx: Transaction,
  { id: providerId }: SocialProvider,
  { subject }: SocialIdentity,
): Promise<User | null> =>
  (await tx.account.findUnique({ where: { providerId_accountId: { providerId, accountId: subject } }, include: { user: true } }))
    ?.user ?? null

/** Who has the address now and may be joined by it: proved, and not after they unlinked that provider. */
async function lockOwner(tx: Transaction, { id: providerId }: SocialProvider, email: string): Promise<User> {
  const holder = await tx.user.findUnique({ where: { email } })
  await lockUser(tx, holder?.id ?? null)
  const owner = await tx.user.findUnique({ where: { id: holder?.id ?? '', email } })
  if (!owner) throw new SocialRefusal('state_mismatch')
  if (!owner.emailVerified || owner.unlinkedProviders.includes(providerId)) throw new SocialRefusal('account_not_linked')
  return owner
}

function newUser(ctx: Context, { name, image }: SocialIdentity, email: string): User {
  const now = new Date()
  const readableName = personName.safeParse([...name].slice(0, fieldLengths.name).join(''))
  const usableImage = imageUrl.safeParse(image)
  return {
    id: randomUUIDv7(),
    name: readableName.success ? readableName.data : (email.split('@')[0] ?? email),
    email,
    emailVerified: true,
    image: usableImage.success ? usableImage.data : null,
    locale: ctx.client.locale,
    tradingEnabled: false,
    riskLevel: 'conservative',
    twoFactorEnabled: false,
    unlinkedProviders: [],
    suspendedAt: null,
    importedAt: null,
    createdAt: now,
    updatedAt: now,
  }
}
