import { randomUUIDv7 } from 'node:crypto'
import type { Transaction, User } from '@floorpass/db'
import { recordAuditEvent } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { type PendingProfile, sendAlreadyRegistered, sendVerificationLink } from '../mail/notifications.ts'
import { clearPassword } from '../password-guesses/password-account.ts'
import { assertPasswordAllowed } from '../password-strength/password-rules.ts'
import { presentUser } from '../sessions/present-session.ts'
import { publicProcedure } from '../trpc.ts'
import { lockUser } from '../users/lock-user.ts'
import { signUpEmailInput } from './contract.ts'

/**
 * A person asks for an account with an e-mail address and a password. Spec: Sign-in and sign-up. No session before the address
 * is proved. A taken address gets the same answer, in the same time; only its owner's mailbox tells the difference.
 */
export const signUpEmail = publicProcedure.input(signUpEmailInput).mutation(async ({ ctx, input }) => {
  await ctx.limitByIp('sign-up:ip')
  assertRedirectTarget(input.callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
  await assertPasswordAllowed(input.password, { ...input, appName: ctx.settings.appName }, 'password')

  const user = newUser(ctx, input)
  await ctx.responseFloor.withMinDuration(async () => {
    const passwordHash = await ctx.passwords.hash(input.password)
    const mayMailAgain = await ctx.limiter.allows('send-mail:address', input.email)
    const isNew = await ctx.db.$transaction(async (tx) => {
      const { count } = await tx.user.createMany({ data: user, skipDuplicates: true })
      if (count === 1) await openAccount(ctx, tx, user, passwordHash, input.callbackURL)
      return count === 1
    })
    if (!isNew) await signUpAgain(ctx, user, input, { withheld: !mayMailAgain })
  })
  ctx.mail.wake()

  return { token: null, user: presentUser(user) }
})

function newUser(
  ctx: Context,
  input: { name: string; email: string; image?: string | undefined; riskLevel?: User['riskLevel'] | undefined },
): User {
  const now = new Date()
  return {
    id: randomUUIDv7(),
    name: input.name,
    email: input.email,
    emailVerified: false,
    image: input.image ?? null,
    locale: ctx.client.locale,
    tradingEnabled: false,
    riskLevel: input.riskLevel ?? 'conservative',
    twoFactorEnabled: false,
    unlinkedProviders: [],
    suspendedAt: null,
    importedAt: null,
    createdAt: now,
    updatedAt: now,
  }
}

async function openAccount(ctx: Context, tx: Transaction, user: User, passwordHash: string, callbackURL: string | undefined) {
  await tx.account.create({ data: { userId: user.id, providerId: 'credential', accountId: user.id, passwordHash } })
  await sendVerificationLink(ctx, tx, user, { callbackURL, pending: profileOf(user) })
  await recordAuditEvent(tx, ctx.client, { userId: user.id, action: 'sign-up' })
}

/**
 * The address has an account. While it is unproved, anybody may have signed up with it: once two chose different passwords nobody
 * can tell which is the owner's, so none counts, and whoever proves the address is mailed a link to choose one.
 */
async function signUpAgain(
  ctx: Context,
  asked: User,
  { password, callbackURL }: { password: string; callbackURL?: string | undefined },
  { withheld }: { withheld: boolean },
) {
  const first = await ctx.db.account.findFirst({
    where: { providerId: 'credential', user: { email: asked.email, emailVerified: false } },
  })
  const isSamePerson = first !== null && (await ctx.passwords.verify(first.passwordHash, password))
  await ctx.db.$transaction(async (tx) => {
    const known = await tx.user.findUnique({ where: { email: asked.email } })
    if (!known || !(await lockUser(tx, known.id))) return
    const owner = await tx.user.findUniqueOrThrow({ where: { id: known.id } })
    if (owner.emailVerified) {
      if (!withheld) await sendAlreadyRegistered(ctx, tx, owner)
      return
    }
    // When this address was last signed up with: a change-email link that is followed signed out does not remove it then.
    const isLeftToNobody = !isSamePerson && owner.importedAt === null
    await tx.user.update({
      where: { id: owner.id },
      data: { updatedAt: new Date(), ...(isLeftToNobody && nobodys(asked.email)) },
    })
    if (!isSamePerson) await clearPassword(tx, owner.id)
    if (!withheld) await sendVerificationLink(ctx, tx, owner, { callbackURL, pending: profileOf(asked) })
  })
}

/** What one of several chose must not stay with another who proves the address by a link that is nobody's sign-up. */
const nobodys = (email: string) => ({ name: email.split('@', 1).join(), image: null, riskLevel: 'conservative' as const })

const profileOf = ({ name, image, riskLevel, locale }: User): PendingProfile => ({ name, image, riskLevel, locale })
