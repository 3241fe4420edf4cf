import type { Transaction, User } from '@floorpass/db'
import type { Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { type Mails, type PendingProfile, sendAlreadyRegistered } from '../mail/notifications.ts'
import { clearPassword } from '../password-guesses/password-account.ts'
import { lockUser } from '../users/lock-user.ts'

export type SignUpContext = Context & Records<'sign-up'> & Mails<'already-registered'>

type SendLink = (tx: Transaction, user: User, pending: PendingProfile) => Promise<void>

type SignUp = {
  /** Null for a sign-up without a password. */
  passwordHash: string | null
  /** The password that proves that a repeated sign-up comes from the same person. */
  password: string | null
  callbackURL: string | undefined
  sendLink: SendLink
}

/** Creates the user, or mails the one who has the address. Call within the response floor. */
export async function beginSignUp(ctx: SignUpContext, user: User, signUp: SignUp): Promise<void> {
  const maySendEmail = await ctx.limiter.allows('send-mail:address', user.email)
  const isNew = await ctx.db.$transaction(async (tx) => {
    const { count } = await tx.user.createMany({ data: user, skipDuplicates: true })
    if (count === 1) await createAccount(ctx, tx, user, signUp)
    return count === 1
  })
  if (!isNew) await repeatSignUp(ctx, user, signUp, { maySendEmail })
}

async function createAccount(ctx: SignUpContext, tx: Transaction, user: User, { passwordHash, sendLink }: SignUp) {
  await tx.account.create({ data: { userId: user.id, providerId: 'credential', accountId: user.id, passwordHash } })
  await sendLink(tx, user, toPendingProfile(user))
  await ctx.record(tx, { userId: user.id, action: 'sign-up' })
}

/** While the email is unverified, two passwords may come from two people, so neither counts. */
async function repeatSignUp(
  ctx: SignUpContext,
  requested: User,
  { password, callbackURL, sendLink }: SignUp,
  { maySendEmail }: { maySendEmail: boolean },
) {
  const first = await ctx.db.account.findFirst({
    where: { providerId: 'credential', user: { email: requested.email, emailVerified: false } },
  })
  const isSamePerson = first !== null && password !== null && (await ctx.passwords.verify(first.passwordHash, password))
  await ctx.db.$transaction(async (tx) => {
    const known = await tx.user.findUnique({ where: { email: requested.email } })
    if (!known || !(await lockUser(tx, known.id))) return
    const owner = await tx.user.findUniqueOrThrow({ where: { id: known.id } })
    if (owner.emailVerified) {
      if (maySendEmail) await sendAlreadyRegistered(ctx, tx, owner, callbackURL)
      return
    }
    // `updatedAt` protects a recent sign-up from removal by a change-email link.
    const isOwnerUnclear = !isSamePerson && owner.importedAt === null
    await tx.user.update({
      where: { id: owner.id },
      data: { updatedAt: new Date(), ...(isOwnerUnclear && neutralProfile(requested.email)) },
    })
    if (!isSamePerson) await clearPassword(tx, owner.id)
    if (maySendEmail) await sendLink(tx, owner, toPendingProfile(requested))
  })
}

/** A different person may verify the email, so drop what the sign-up chose. */
const neutralProfile = (email: string) => ({ name: email.split('@', 1).join(), image: null, riskLevel: 'conservative' as const })

const toPendingProfile = ({ name, image, riskLevel, locale }: User): PendingProfile => ({ name, image, riskLevel, locale })
