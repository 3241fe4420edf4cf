import type { Transaction, User } from '@floorpass/db'
import { type RenderedMail, renderMail } from '@floorpass/email'
import type { Context } from '../context.ts'
import type { UndoEffects } from '../email-address/undo-effects.ts'
import { policy } from '../kernel/policy.ts'
import type { ProviderId } from '../kernel/provider-ids.ts'
import { issueOneTimeToken, voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import type { Role } from '../organizations/permissions.ts'

type Recipient = Pick<User, 'id' | 'name' | 'email' | 'locale'>

/** Profile fields of a sign-up, stored in its link. The link that verifies the address decides which apply. */
export type PendingProfile = Pick<User, 'name' | 'image' | 'riskLevel' | 'locale'>

/** The link opens a page with a button, since mail scanners follow links. */
export async function sendVerificationLink(
  ctx: Context,
  tx: Transaction,
  user: Recipient,
  { callbackURL, pending }: { callbackURL: string | undefined; pending: PendingProfile | null },
): Promise<void> {
  const token = await issueOneTimeToken(tx, {
    purpose: 'verify-email',
    userId: user.id,
    email: user.email,
    lifetime: policy.verifyEmail.lifetime,
    sealPayload: pending && ((place) => ctx.secretBox.seal(JSON.stringify(pending), place)),
  })
  const url = pageUrl(ctx, '/verify-email', { token, callbackURL })
  const hours = policy.verifyEmail.lifetime / 3600
  const mail = renderMail('verify-email', { ...emailContext(ctx, { ...user, ...pending }), url, hours })
  await queueMail(ctx, tx, user, mail, policy.verifyEmail.lifetime)
}

export async function sendAlreadyRegistered(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  const urls = { signInUrl: pageUrl(ctx, '/login'), resetUrl: pageUrl(ctx, '/forgot-password') }
  await queueMail(ctx, tx, user, renderMail('already-registered', { ...emailContext(ctx, user), ...urls }))
}

/** Voids the links of former requests. */
export async function sendResetLink(ctx: Context, tx: Transaction, user: Recipient, redirectTo?: string): Promise<void> {
  const lifetime = policy.resetPassword.lifetime
  await voidOneTimeTokens(tx, user.id, ['reset-password'])
  const token = await issueOneTimeToken(tx, { purpose: 'reset-password', userId: user.id, email: user.email, lifetime })
  // Mail links stay on our origin. `/auth/reset-password` checks the token, then redirects to other front ends.
  const page = redirectTo === undefined ? '/reset-password' : '/auth/reset-password'
  const url = pageUrl(ctx, page, { token, callbackURL: redirectTo })
  await queueMail(
    ctx,
    tx,
    user,
    renderMail('reset-password', { ...emailContext(ctx, user), url, minutes: lifetime / 60 }),
    lifetime,
  )
}

export async function sendPasswordCleared(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  const lifetime = policy.resetPassword.lifetime
  const token = await issueOneTimeToken(tx, { purpose: 'reset-password', userId: user.id, email: user.email, lifetime })
  const url = pageUrl(ctx, '/reset-password', { token })
  await queueMail(ctx, tx, user, renderMail('password-cleared', { ...emailContext(ctx, user), url, minutes: lifetime / 60 }))
}

export async function sendEmailChangeUndone(ctx: Context, tx: Transaction, user: Recipient, effects: UndoEffects): Promise<void> {
  const lifetime = policy.resetPassword.lifetime
  const token = await issueOneTimeToken(tx, { purpose: 'reset-password', userId: user.id, email: user.email, lifetime })
  const unlinkedProviders = effects.unlinkedProviders.map((id) => ctx.providers.get(id as ProviderId)?.name ?? id)
  const urls = { url: pageUrl(ctx, '/reset-password', { token }), securityUrl: pageUrl(ctx, '/settings/security') }
  const variables = { ...urls, minutes: lifetime / 60, effects: { ...effects, unlinkedProviders } }
  await queueMail(ctx, tx, user, renderMail('email-change-undone', { ...emailContext(ctx, user), ...variables }))
}

export async function sendPasswordChanged(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  await queueMail(
    ctx,
    tx,
    user,
    renderMail('password-changed', { ...emailContext(ctx, user), resetUrl: pageUrl(ctx, '/forgot-password') }),
  )
}

export async function sendPasswordSet(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  await queueMail(
    ctx,
    tx,
    user,
    renderMail('password-set', { ...emailContext(ctx, user), resetUrl: pageUrl(ctx, '/forgot-password') }),
  )
}

/** Sends the confirmation link to the new address if it is free, and a notice to the current one. */
export async function sendEmailChange(
  ctx: Context,
  tx: Transaction,
  user: Recipient,
  { newEmail, isFree, callbackURL }: { newEmail: string; isFree: boolean; callbackURL: string | undefined },
): Promise<void> {
  const lifetime = policy.changeEmail.lifetime
  await voidOneTimeTokens(tx, user.id, ['change-email'])
  if (isFree) {
    const token = await issueOneTimeToken(tx, {
      purpose: 'change-email',
      userId: user.id,
      email: newEmail,
      lifetime,
      sealPayload: (place) => ctx.secretBox.seal(user.email, place),
    })
    const url = pageUrl(ctx, '/verify-email', { token, callbackURL, purpose: 'change' })
    await queueMail(
      ctx,
      tx,
      { ...user, email: newEmail },
      renderMail('change-email-confirm', { ...emailContext(ctx, user), account: user.email, url, hours: lifetime / 3600 }),
      lifetime,
    )
  }
  const resetUrl = pageUrl(ctx, '/forgot-password')
  await queueMail(ctx, tx, user, renderMail('email-change-requested', { ...emailContext(ctx, user), newEmail, resetUrl }))
}

/** Notifies the former address; with a `snapshot`, includes an undo link. `user` still has the former address. */
export async function sendEmailChanged(
  ctx: Context,
  tx: Transaction,
  user: Recipient,
  { newEmail, snapshot }: { newEmail: string; snapshot: string | null },
): Promise<void> {
  const lifetime = policy.undoEmailChange.lifetime
  const days = lifetime / 86_400
  if (snapshot === null)
    return queueMail(ctx, tx, user, renderMail('email-changed', { ...emailContext(ctx, user), newEmail, undoUrl: null, days }))
  const token = await issueOneTimeToken(tx, {
    purpose: 'undo-email-change',
    userId: user.id,
    email: user.email,
    lifetime,
    sealPayload: (place) => ctx.secretBox.seal(snapshot, place),
  })
  const undoUrl = pageUrl(ctx, '/undo-email-change', { token })
  await queueMail(ctx, tx, user, renderMail('email-changed', { ...emailContext(ctx, user), newEmail, undoUrl, days }))
}

export async function sendDeletionLink(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  const lifetime = policy.deleteAccount.lifetime
  await voidOneTimeTokens(tx, user.id, ['delete-account'])
  const token = await issueOneTimeToken(tx, { purpose: 'delete-account', userId: user.id, email: user.email, lifetime })
  const url = pageUrl(ctx, '/delete-account', { token })
  await queueMail(
    ctx,
    tx,
    user,
    renderMail('delete-account', { ...emailContext(ctx, user), url, minutes: lifetime / 60 }),
    lifetime,
  )
}

export async function sendReauthenticationLink(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  const { lifetime } = policy.reauthentication
  await voidOneTimeTokens(tx, user.id, ['reauthenticate'])
  const token = await issueOneTimeToken(tx, { purpose: 'reauthenticate', userId: user.id, email: user.email, lifetime })
  const url = pageUrl(ctx, '/reauthenticate', { token })
  await queueMail(
    ctx,
    tx,
    user,
    renderMail('reauthenticate', { ...emailContext(ctx, user), url, minutes: lifetime / 60 }),
    lifetime,
  )
}

export async function sendAccountLinked(ctx: Context, tx: Transaction, user: Recipient, provider: string): Promise<void> {
  const accountsUrl = pageUrl(ctx, '/settings/accounts')
  await queueMail(ctx, tx, user, renderMail('account-linked', { ...emailContext(ctx, user), provider, accountsUrl }))
}

export async function sendAccountUnlinked(ctx: Context, tx: Transaction, user: Recipient, providerId: string): Promise<void> {
  const provider = ctx.providers.get(providerId as ProviderId)?.name ?? null
  await queueMail(
    ctx,
    tx,
    user,
    renderMail('account-unlinked', { ...emailContext(ctx, user), provider, resetUrl: pageUrl(ctx, '/forgot-password') }),
  )
}

export async function sendTwoFactorEnabled(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  const urls = { securityUrl: pageUrl(ctx, '/settings/security'), resetUrl: pageUrl(ctx, '/forgot-password') }
  await queueMail(ctx, tx, user, renderMail('two-factor-enabled', { ...emailContext(ctx, user), ...urls }))
}

export async function sendTwoFactorDisabled(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  const resetUrl = pageUrl(ctx, '/forgot-password')
  await queueMail(ctx, tx, user, renderMail('two-factor-disabled', { ...emailContext(ctx, user), resetUrl }))
}

export async function sendBackupCodesReplaced(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  const resetUrl = pageUrl(ctx, '/forgot-password')
  await queueMail(ctx, tx, user, renderMail('backup-codes-replaced', { ...emailContext(ctx, user), resetUrl }))
}

export async function sendBackupCodeUsed(ctx: Context, tx: Transaction, user: Recipient, left: number): Promise<void> {
  const securityUrl = pageUrl(ctx, '/settings/security')
  await queueMail(ctx, tx, user, renderMail('backup-code-used', { ...emailContext(ctx, user), left, securityUrl }))
}

export async function sendTwoFactorLocked(ctx: Context, tx: Transaction, user: Recipient, minutes: number): Promise<void> {
  const resetUrl = pageUrl(ctx, '/forgot-password')
  await queueMail(ctx, tx, user, renderMail('two-factor-locked', { ...emailContext(ctx, user), minutes, resetUrl }))
}

export async function sendPasswordPaused(
  ctx: Context,
  tx: Transaction,
  user: Recipient,
  deviceKind: 'known' | 'unknown',
): Promise<void> {
  const resetUrl = pageUrl(ctx, '/forgot-password')
  await queueMail(ctx, tx, user, renderMail('password-paused', { ...emailContext(ctx, user), place: deviceKind, resetUrl }))
}

export async function sendAccountDeleted(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  await queueMail(ctx, tx, user, renderMail('account-deleted', emailContext(ctx, user)))
}

/** Uses the recipient's language if they have an account, else the inviter's. */
export async function sendInvitation(
  ctx: Context,
  tx: Transaction,
  email: string,
  { secret, ...content }: { secret: string; organization: string; inviter: string; role: Role },
): Promise<void> {
  const user = await tx.user.findUnique({ where: { email } })
  // Anyone can sign up with this address and choose the name.
  const name = user?.emailVerified ? user.name : ''
  const recipient = { id: user?.id ?? '', name, email, locale: user?.locale ?? ctx.client.locale }
  const url = pageUrl(ctx, '/accept-invitation', { token: secret })
  const hours = policy.organizations.invitationLifetime / 3600
  const mail = renderMail('organization-invitation', { ...emailContext(ctx, recipient), ...content, address: email, url, hours })
  await queueMail(ctx, tx, recipient, mail, policy.organizations.invitationLifetime)
}

export async function sendMemberAdded(
  ctx: Context,
  tx: Transaction,
  user: Recipient,
  content: { organization: string; actor: string },
): Promise<void> {
  const organizationsUrl = pageUrl(ctx, '/settings/organizations')
  await queueMail(ctx, tx, user, renderMail('member-added', { ...emailContext(ctx, user), ...content, organizationsUrl }))
}

export async function sendMembershipDropped(
  ctx: Context,
  tx: Transaction,
  user: Recipient,
  content: { organization: string; most: number },
): Promise<void> {
  const organizationsUrl = pageUrl(ctx, '/settings/organizations')
  await queueMail(ctx, tx, user, renderMail('membership-dropped', { ...emailContext(ctx, user), ...content, organizationsUrl }))
}

export async function sendMemberRemoved(
  ctx: Context,
  tx: Transaction,
  user: Recipient,
  content: { organization: string },
): Promise<void> {
  const organizationsUrl = pageUrl(ctx, '/settings/organizations')
  await queueMail(ctx, tx, user, renderMail('member-removed', { ...emailContext(ctx, user), ...content, organizationsUrl }))
}

/** After `lifetime` seconds, the link is invalid and the queue drops the mail. */
const queueMail = (ctx: Context, tx: Transaction, { email }: Recipient, mail: RenderedMail, lifetime?: number): Promise<void> =>
  ctx.mail.add(tx, { to: email, ...mail }, lifetime === undefined ? null : new Date(Date.now() + lifetime * 1000))

const emailContext = (ctx: Context, user: Recipient) => ({
  locale: user.locale,
  name: user.name,
  appName: ctx.settings.appName,
  baseUrl: ctx.settings.baseUrl,
})

function pageUrl(ctx: Context, path: string, query: Record<string, string | undefined> = {}): string {
  const url = new URL(path, ctx.settings.baseUrl)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}
