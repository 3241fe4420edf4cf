import { randomUUIDv7 } from 'node:crypto'
import type { Transaction, User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { removeUnproved } from '../email-address/remove-unproved.ts'
import { imageUrl, personName } from '../fields.ts'
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
  if (known) return { user: await welcomeBack(ctx, tx, known, provider, identity), isNew: false }
  if (identity.email === null) throw new SocialRefusal('email_not_found')
  // The same whether the address has an account: an unproved one must not tell.
  if (!identity.emailVerified) throw new SocialRefusal('email_not_verified')

  await removeUnproved(tx, identity.email)
  const user = newUser(ctx, identity, identity.email)
  // Two callbacks of one new person: the unique address lets one create, the other waits here and then finds the row.
  const { count } = await tx.user.createMany({ data: user, skipDuplicates: true })
  const owner = count === 1 ? user : await tx.user.findUniqueOrThrow({ where: { email: identity.email } })
  if (!owner.emailVerified) throw new SocialRefusal('account_not_linked')
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
  user: User,
  provider: SocialProvider,
  identity: SocialIdentity,
): Promise<User> {
  if (user.suspendedAt) throw new SocialRefusal('sign_in_refused')
  await noteUse(ctx, tx, provider, identity)
  return user
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
