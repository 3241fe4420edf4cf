import { randomUUIDv7 } from 'node:crypto'
import type { Transaction, User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { imageUrl, personName } from '../fields.ts'
import { lockUser } from '../security/lock-user.ts'
import type { SocialIdentity, SocialProvider } from '../social-provider.ts'
import { linkIdentity, noteUse } from './link-identity.ts'
import { SocialRefusal } from './social-refusal.ts'

type Resolved = { user: User; isNew: boolean }

/**
 * Whose identity it is: the user it is linked to; else the one with the same address, proved on both sides, who gets it linked;
 * else a new user. An unproved address is nobody's: a sign-up that never proved it goes, with all it left, when a provider proves it.
 */
export async function resolveIdentity(
  ctx: Context,
  tx: Transaction,
  provider: SocialProvider,
  identity: SocialIdentity,
): Promise<Resolved> {
  const known = await findLinked(tx, provider, identity)
  if (known) return { user: await welcomeBack(ctx, tx, known.id, provider, identity), isNew: false }
  if (identity.email === null) throw new SocialRefusal('email_not_found')

  if (identity.emailVerified) await removeUnproved(tx, identity.email)
  const user = newUser(ctx, identity, identity.email)
  // Two callbacks of one new person: the unique address lets one create, the other waits here and then finds the row.
  const { count } = identity.emailVerified ? await tx.user.createMany({ data: user, skipDuplicates: true }) : { count: 0 }
  const owner = count === 1 ? user : await tx.user.findUnique({ where: { email: identity.email } })
  if (!owner) throw new SocialRefusal('email_not_verified')
  if (!identity.emailVerified || !owner.emailVerified) throw new SocialRefusal('account_not_linked')
  if (!(await lockUser(tx, owner.id))) throw new SocialRefusal('sign_in_refused')
  if (owner.suspendedAt) throw new SocialRefusal('sign_in_refused')
  await linkIdentity(ctx, tx, owner, provider, identity, { isNew: count === 1 })
  return { user: owner, isNew: count === 1 }
}

const findLinked = async (
  tx: Transaction,
  { id: providerId }: SocialProvider,
  { subject }: SocialIdentity,
): Promise<User | null> =>
  (await tx.account.findUnique({ where: { providerId_accountId: { providerId, accountId: subject } }, include: { user: true } }))
    ?.user ?? null

async function welcomeBack(
  ctx: Context,
  tx: Transaction,
  userId: string,
  provider: SocialProvider,
  identity: SocialIdentity,
): Promise<User> {
  // It may have been unlinked, and its user suspended, while this waited for the lock.
  const user = (await lockUser(tx, userId)) ? await findLinked(tx, provider, identity) : null
  if (!user || user.id !== userId || user.suspendedAt) throw new SocialRefusal('sign_in_refused')
  await noteUse(ctx, tx, provider, identity)
  return user
}

/** Nothing of an unproved sign-up may survive: neither its password, nor its sessions, factors, links or settings. */
async function removeUnproved(tx: Transaction, email: string): Promise<void> {
  const squatter = await tx.user.findUnique({ where: { email, emailVerified: false } })
  if (!squatter) return
  await lockUser(tx, squatter.id)
  await tx.user.deleteMany({ where: { id: squatter.id, emailVerified: false } })
}

function newUser(ctx: Context, { name, image }: SocialIdentity, email: string): User {
  const now = new Date()
  const readableName = personName.safeParse(name.slice(0, 100))
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
    suspendedAt: null,
    createdAt: now,
    updatedAt: now,
  }
}
