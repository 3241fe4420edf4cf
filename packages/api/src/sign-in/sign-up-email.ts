import { randomUUIDv7 } from 'node:crypto'
import type { Transaction, User } from '@floorpass/db'
import type { Context } from '../context.ts'
import { mailAlreadyRegistered, mailVerificationLink } from '../mails.ts'
import { recordAuditEvent } from '../security/audit-log.ts'
import { lockUser } from '../security/lock-user.ts'
import { assertPasswordAllowed } from '../security/password-rules.ts'
import { assertRedirectTarget } from '../security/redirect-target.ts'
import { presentUser } from '../sessions/present-session.ts'
import { publicProcedure } from '../trpc.ts'
import { signUpEmailInput } from './contract.ts'

/**
 * A person asks for an account with an e-mail address and a password. Spec: Sign-in and sign-up. No session before the address
 * is proved. A taken address gets the same answer, after the same work; only its owner's mailbox tells the difference.
 */
export const signUpEmail = publicProcedure.input(signUpEmailInput).mutation(async ({ ctx, input }) => {
  await ctx.limitByIp('sign-up:ip')
  assertRedirectTarget(input.callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
  await assertPasswordAllowed(input.password, { ...input, appName: ctx.settings.appName }, 'password')

  const user = newUser(ctx, input)
  await ctx.quiet.always(async () => {
    const passwordHash = await ctx.passwords.hash(input.password)
    const mayMailAgain = await ctx.limiter.allows('send-mail:address', input.email)
    await ctx.db.$transaction(async (tx) => {
      const { count } = await tx.user.createMany({ data: user, skipDuplicates: true })
      if (count === 1) await openAccount(ctx, tx, user, passwordHash, input.callbackURL)
      else await tellOwner(ctx, tx, user, { passwordHash, callbackURL: input.callbackURL, withheld: !mayMailAgain })
    })
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
    suspendedAt: null,
    createdAt: now,
    updatedAt: now,
  }
}

async function openAccount(ctx: Context, tx: Transaction, user: User, passwordHash: string, callbackURL: string | undefined) {
  await tx.account.create({ data: { userId: user.id, providerId: 'credential', accountId: user.id, passwordHash } })
  await mailVerificationLink(ctx, tx, user, { callbackURL, pending: { name: user.name, passwordHash } })
  await recordAuditEvent(tx, ctx.client, { userId: user.id, action: 'sign-up' })
}

/**
 * While an address is unproved, anybody may have signed up with it. So each sign-up's link carries its own password, and the
 * link that is followed decides which one counts: who signed up first, without the mailbox, gains nothing.
 */
async function tellOwner(
  ctx: Context,
  tx: Transaction,
  asked: User,
  { passwordHash, callbackURL, withheld }: { passwordHash: string; callbackURL: string | undefined; withheld: boolean },
) {
  const known = await tx.user.findUnique({ where: { email: asked.email } })
  if (!known || !(await lockUser(tx, known.id))) return
  const owner = await tx.user.findUniqueOrThrow({ where: { id: known.id } })
  const pending = { name: asked.name, passwordHash }
  // Also without its mail a sign-up is on record: it counts when a later link asks whose password is whose.
  if (!owner.emailVerified) await mailVerificationLink(ctx, tx, owner, { callbackURL, pending, withheld })
  else if (!withheld) await mailAlreadyRegistered(ctx, tx, owner)
}
