import { randomUUIDv7 } from 'node:crypto'
import type { Transaction, User } from '@floorpass/db'
import type { Records } from '../audit-log/audit-log.ts'
import type { Context } from '../context.ts'
import { assertRedirectTarget } from '../kernel/redirect-target.ts'
import { type Mails, type PendingProfile, sendAlreadyRegistered, sendVerificationLink } from '../mail/notifications.ts'
import { customMutation } from '../mutation.ts'
import { clearPassword } from '../password-guesses/password-account.ts'
import { assertPasswordAllowed } from '../password-strength/password-rules.ts'
import { presentUser } from '../sessions/present-session.ts'
import { lockUser } from '../users/lock-user.ts'
import { signUpEmailInput } from './contract.ts'

/** Spec: Sign-in and sign-up. A taken email gets the same response in the same time. */
export const signUpEmail = customMutation({
  access: 'public',
  input: signUpEmailInput,
  limit: 'sign-up:ip',
  lock: 'own',
  events: ['sign-up'],
  mails: ['verify-email', 'already-registered'],
  cookies: [],

  async run({ ctx, input }) {
    assertRedirectTarget(input.callbackURL, ctx.settings.trustedOrigins, 'INVALID_CALLBACK_URL')
    await assertPasswordAllowed(input.password, { ...input, appName: ctx.settings.appName }, 'password')

    const user = buildUser(ctx, input)
    await ctx.responseFloor.withMinDuration(async () => {
      const passwordHash = await ctx.passwords.hash(input.password)
      const maySendEmail = await ctx.limiter.allows('send-mail:address', input.email)
      const isNew = await ctx.db.$transaction(async (tx) => {
        const { count } = await tx.user.createMany({ data: user, skipDuplicates: true })
        if (count === 1) await createPasswordAccount(ctx, tx, user, passwordHash, input.callbackURL)
        return count === 1
      })
      if (!isNew) await repeatSignUp(ctx, user, input, { maySendEmail })
    })
    return { token: null, user: presentUser(user) }
  },
})

type SignUpContext = Context & Records<'sign-up'> & Mails<'verify-email' | 'already-registered'>

function buildUser(
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

async function createPasswordAccount(
  ctx: SignUpContext,
  tx: Transaction,
  user: User,
  passwordHash: string,
  callbackURL: string | undefined,
) {
  await tx.account.create({ data: { userId: user.id, providerId: 'credential', accountId: user.id, passwordHash } })
  await sendVerificationLink(ctx, tx, user, { callbackURL, pending: toPendingProfile(user) })
  await ctx.record(tx, { userId: user.id, action: 'sign-up' })
}

/** While the email is unverified, two passwords may come from two people, so neither counts. */
async function repeatSignUp(
  ctx: SignUpContext,
  requested: User,
  { password, callbackURL }: { password: string; callbackURL?: string | undefined },
  { maySendEmail }: { maySendEmail: boolean },
) {
  const first = await ctx.db.account.findFirst({
    where: { providerId: 'credential', user: { email: requested.email, emailVerified: false } },
  })
  const isSamePerson = first !== null && (await ctx.passwords.verify(first.passwordHash, password))
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
    if (maySendEmail) await sendVerificationLink(ctx, tx, owner, { callbackURL, pending: toPendingProfile(requested) })
  })
}

/** A different person may verify the email, so drop what the sign-up chose. */
const neutralProfile = (email: string) => ({ name: email.split('@', 1).join(), image: null, riskLevel: 'conservative' as const })

const toPendingProfile = ({ name, image, riskLevel, locale }: User): PendingProfile => ({ name, image, riskLevel, locale })
