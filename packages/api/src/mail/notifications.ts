import type { Transaction, User } from '@floorpass/db'
import { type RenderedMail, renderMail } from '@floorpass/email'
import type { Context } from '../context.ts'
import type { UndoEffects } from '../email-address/undo-effects.ts'
import { policy } from '../kernel/policy.ts'
import type { ProviderId } from '../kernel/provider-ids.ts'
import { issueOneTimeToken, voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import type { Role } from '../organizations/permissions.ts'

type Recipient = Pick<User, 'id' | 'name' | 'email' | 'locale'>

/** What a sign-up chose, waiting for the proof of the address: of several, the one whose link is followed counts. */
export type PendingProfile = Pick<User, 'name' | 'image' | 'riskLevel' | 'locale'>

/** A link that proves the address. It opens a page with a button, since mail scanners follow links. */
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
  const mail = renderMail('verify-email', { ...letter(ctx, { ...user, ...pending }), url, hours })
  await send(ctx, tx, user, mail, policy.verifyEmail.lifetime)
}

/** Somebody signed up with an address that has an account: its owner learns of it, the caller does not. */
export async function sendAlreadyRegistered(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  const urls = { signInUrl: pageUrl(ctx, '/login'), resetUrl: pageUrl(ctx, '/forgot-password') }
  await send(ctx, tx, user, renderMail('already-registered', { ...letter(ctx, user), ...urls }))
}

/** A link that sets a new password. It voids the links of former requests: the newest mail is the one that works. */
export async function sendResetLink(ctx: Context, tx: Transaction, user: Recipient, redirectTo?: string): Promise<void> {
  const lifetime = policy.resetPassword.lifetime
  await voidOneTimeTokens(tx, user.id, ['reset-password'])
  const token = await issueOneTimeToken(tx, { purpose: 'reset-password', userId: user.id, email: user.email, lifetime })
  // Mails link to this origin only; a front end elsewhere is reached by a redirect that checks the token first.
  const page = redirectTo === undefined ? '/reset-password' : '/auth/reset-password'
  const url = pageUrl(ctx, page, { token, callbackURL: redirectTo })
  await send(ctx, tx, user, renderMail('reset-password', { ...letter(ctx, user), url, minutes: lifetime / 60 }), lifetime)
}

/** The password was removed, to keep a stranger out: the owner chooses a new one by this link, or asks for another. */
export async function sendPasswordCleared(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  const lifetime = policy.resetPassword.lifetime
  const token = await issueOneTimeToken(tx, { purpose: 'reset-password', userId: user.id, email: user.email, lifetime })
  const url = pageUrl(ctx, '/reset-password', { token })
  await send(ctx, tx, user, renderMail('password-cleared', { ...letter(ctx, user), url, minutes: lifetime / 60 }))
}

/** Tells the owner what the undo of an email change did. The password is gone: the owner chooses a new one by this link. */
export async function sendEmailChangeUndone(ctx: Context, tx: Transaction, user: Recipient, effects: UndoEffects): Promise<void> {
  const lifetime = policy.resetPassword.lifetime
  const token = await issueOneTimeToken(tx, { purpose: 'reset-password', userId: user.id, email: user.email, lifetime })
  const unlinkedProviders = effects.unlinkedProviders.map((id) => ctx.providers.get(id as ProviderId)?.name ?? id)
  const urls = { url: pageUrl(ctx, '/reset-password', { token }), securityUrl: pageUrl(ctx, '/settings/security') }
  const variables = { ...urls, minutes: lifetime / 60, effects: { ...effects, unlinkedProviders } }
  await send(ctx, tx, user, renderMail('email-change-undone', { ...letter(ctx, user), ...variables }))
}

/** Tells that the password was changed, and how to take the account back. */
export async function sendPasswordChanged(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  await send(ctx, tx, user, renderMail('password-changed', { ...letter(ctx, user), resetUrl: pageUrl(ctx, '/forgot-password') }))
}

/** Tells that the account has a password from now on. */
export async function sendPasswordSet(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  await send(ctx, tx, user, renderMail('password-set', { ...letter(ctx, user), resetUrl: pageUrl(ctx, '/forgot-password') }))
}

/** To the new address: the link that makes it the account's. To the old one: that somebody asked. */
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
    await send(
      ctx,
      tx,
      { ...user, email: newEmail },
      renderMail('change-email-confirm', { ...letter(ctx, user), account: user.email, url, hours: lifetime / 3600 }),
      lifetime,
    )
  }
  const resetUrl = pageUrl(ctx, '/forgot-password')
  await send(ctx, tx, user, renderMail('email-change-requested', { ...letter(ctx, user), newEmail, resetUrl }))
}

/** To the address that an account has just left. With a `snapshot` it gets a link that takes the account back. `user` is as it was before. */
export async function sendEmailChanged(
  ctx: Context,
  tx: Transaction,
  user: Recipient,
  { newEmail, snapshot }: { newEmail: string; snapshot: string | null },
): Promise<void> {
  const lifetime = policy.undoEmailChange.lifetime
  const days = lifetime / 86_400
  if (snapshot === null)
    return send(ctx, tx, user, renderMail('email-changed', { ...letter(ctx, user), newEmail, undoUrl: null, days }))
  const token = await issueOneTimeToken(tx, {
    purpose: 'undo-email-change',
    userId: user.id,
    email: user.email,
    lifetime,
    sealPayload: (place) => ctx.secretBox.seal(snapshot, place),
  })
  const undoUrl = pageUrl(ctx, '/undo-email-change', { token })
  await send(ctx, tx, user, renderMail('email-changed', { ...letter(ctx, user), newEmail, undoUrl, days }))
}

/** A link that deletes the account once its owner, signed in, confirms. */
export async function sendDeletionLink(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  const lifetime = policy.deleteAccount.lifetime
  await voidOneTimeTokens(tx, user.id, ['delete-account'])
  const token = await issueOneTimeToken(tx, { purpose: 'delete-account', userId: user.id, email: user.email, lifetime })
  const url = pageUrl(ctx, '/delete-account', { token })
  await send(ctx, tx, user, renderMail('delete-account', { ...letter(ctx, user), url, minutes: lifetime / 60 }), lifetime)
}

/** A link that proves, in a signed-in browser, who the user is: for accounts with no other way. The newest link is the one that works. */
export async function sendReauthenticationLink(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  const { lifetime } = policy.reauthentication
  await voidOneTimeTokens(tx, user.id, ['reauthenticate'])
  const token = await issueOneTimeToken(tx, { purpose: 'reauthenticate', userId: user.id, email: user.email, lifetime })
  const url = pageUrl(ctx, '/reauthenticate', { token })
  await send(ctx, tx, user, renderMail('reauthenticate', { ...letter(ctx, user), url, minutes: lifetime / 60 }), lifetime)
}

/** Tells that there is another way into the account. */
export async function sendAccountLinked(ctx: Context, tx: Transaction, user: Recipient, provider: string): Promise<void> {
  const accountsUrl = pageUrl(ctx, '/settings/accounts')
  await send(ctx, tx, user, renderMail('account-linked', { ...letter(ctx, user), provider, accountsUrl }))
}

/** Tells that a way into the account is gone. */
export async function sendAccountUnlinked(ctx: Context, tx: Transaction, user: Recipient, providerId: string): Promise<void> {
  const provider = ctx.providers.get(providerId as ProviderId)?.name ?? null
  await send(
    ctx,
    tx,
    user,
    renderMail('account-unlinked', { ...letter(ctx, user), provider, resetUrl: pageUrl(ctx, '/forgot-password') }),
  )
}

/** Tells that sign-ins need a code from now on. */
export async function sendTwoFactorEnabled(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  const urls = { securityUrl: pageUrl(ctx, '/settings/security'), resetUrl: pageUrl(ctx, '/forgot-password') }
  await send(ctx, tx, user, renderMail('two-factor-enabled', { ...letter(ctx, user), ...urls }))
}

/** Tells that sign-ins need no code any more. */
export async function sendTwoFactorDisabled(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  const resetUrl = pageUrl(ctx, '/forgot-password')
  await send(ctx, tx, user, renderMail('two-factor-disabled', { ...letter(ctx, user), resetUrl }))
}

/** Tells that there are new backup codes, and the former ones are void. */
export async function sendBackupCodesReplaced(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  const resetUrl = pageUrl(ctx, '/forgot-password')
  await send(ctx, tx, user, renderMail('backup-codes-replaced', { ...letter(ctx, user), resetUrl }))
}

/** Tells that a backup code was used, and how many are left. */
export async function sendBackupCodeUsed(ctx: Context, tx: Transaction, user: Recipient, left: number): Promise<void> {
  const securityUrl = pageUrl(ctx, '/settings/security')
  await send(ctx, tx, user, renderMail('backup-code-used', { ...letter(ctx, user), left, securityUrl }))
}

/** Tells that somebody who got as far as the code guessed wrong too often. */
export async function sendTwoFactorLocked(ctx: Context, tx: Transaction, user: Recipient, minutes: number): Promise<void> {
  const resetUrl = pageUrl(ctx, '/forgot-password')
  await send(ctx, tx, user, renderMail('two-factor-locked', { ...letter(ctx, user), minutes, resetUrl }))
}

/** Tells that somebody guessed at the password so often that it is taken no more on new devices, or on known ones and in settings. */
export async function sendPasswordPaused(
  ctx: Context,
  tx: Transaction,
  user: Recipient,
  place: 'known' | 'unknown',
): Promise<void> {
  const resetUrl = pageUrl(ctx, '/forgot-password')
  await send(ctx, tx, user, renderMail('password-paused', { ...letter(ctx, user), place, resetUrl }))
}

/** Tells that the account is gone. */
export async function sendAccountDeleted(ctx: Context, tx: Transaction, user: Recipient): Promise<void> {
  await send(ctx, tx, user, renderMail('account-deleted', letter(ctx, user)))
}

/** An invitation to an address that may have no account. It is written in the account's language, else in the inviter's. */
export async function sendInvitation(
  ctx: Context,
  tx: Transaction,
  email: string,
  { secret, ...content }: { secret: string; organization: string; inviter: string; role: Role },
): Promise<void> {
  const known = await tx.user.findUnique({ where: { email } })
  // An unproved account is not yet the address's owner: whoever made it chose that name.
  const name = known?.emailVerified ? known.name : ''
  const recipient = { id: known?.id ?? '', name, email, locale: known?.locale ?? ctx.client.locale }
  const url = pageUrl(ctx, '/accept-invitation', { token: secret })
  const hours = policy.organizations.invitationLifetime / 3600
  const mail = renderMail('organization-invitation', { ...letter(ctx, recipient), ...content, address: email, url, hours })
  await send(ctx, tx, recipient, mail, policy.organizations.invitationLifetime)
}

/** Tells that somebody made them a member. */
export async function sendMemberAdded(
  ctx: Context,
  tx: Transaction,
  user: Recipient,
  content: { organization: string; actor: string },
): Promise<void> {
  const organizationsUrl = pageUrl(ctx, '/settings/organizations')
  await send(ctx, tx, user, renderMail('member-added', { ...letter(ctx, user), ...content, organizationsUrl }))
}

/** The account joined another organization, and had no place left but that of a membership it never accepted. */
export async function sendMembershipDropped(
  ctx: Context,
  tx: Transaction,
  user: Recipient,
  content: { organization: string; most: number },
): Promise<void> {
  const organizationsUrl = pageUrl(ctx, '/settings/organizations')
  await send(ctx, tx, user, renderMail('membership-dropped', { ...letter(ctx, user), ...content, organizationsUrl }))
}

/** Tells that a membership has ended. */
export async function sendMemberRemoved(
  ctx: Context,
  tx: Transaction,
  user: Recipient,
  content: { organization: string },
): Promise<void> {
  const organizationsUrl = pageUrl(ctx, '/settings/organizations')
  await send(ctx, tx, user, renderMail('member-removed', { ...letter(ctx, user), ...content, organizationsUrl }))
}

/** `lifetime`, in seconds, of a mail that is nothing but its link: one that comes later helps nobody. */
const send = (ctx: Context, tx: Transaction, { email }: Recipient, mail: RenderedMail, lifetime?: number): Promise<void> =>
  ctx.mail.add(tx, { to: email, ...mail }, lifetime === undefined ? null : new Date(Date.now() + lifetime * 1000))

const letter = (ctx: Context, user: Recipient) => ({
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
