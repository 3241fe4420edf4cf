import type { Transaction, User } from '@floorpass/db'
import { type Mail, type MailName, type MailVariables, renderMail } from '@floorpass/email'
import { type DescribedKey, describeKey } from '../api-key-checks/describe-key.ts'
import type { Context } from '../context.ts'
import type { UndoEffects } from '../email-address/undo-effects.ts'
import { toLocale } from '../kernel/locale.ts'
import { policy } from '../kernel/policy.ts'
import type { ProviderId } from '../kernel/provider-ids.ts'
import type { Role } from '../kernel/roles.ts'
import { issueOneTimeToken, voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'

/** A context that may queue these mails. A function that sends one asks for it. */
export type Mails<Name extends MailName> = {
  queueMail: (tx: Transaction, name: Name, mail: Mail, expiresAt: Date | null) => Promise<void>
}

type Recipient = Pick<User, 'id' | 'name' | 'email' | 'locale'>

/** Profile fields of a sign-up, stored in its link. The link that verifies the address decides which apply. */
export type PendingProfile = Pick<User, 'name' | 'image' | 'riskLevel' | 'locale'>

/** The link opens a page with a button, since mail scanners follow links. */
export async function sendVerificationLink(
  ctx: Context & Mails<'verify-email'>,
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
  await queueMail(ctx, tx, { ...user, ...pending }, 'verify-email', { url, hours }, policy.verifyEmail.lifetime)
}

export async function sendCreatePasskeyLink(
  ctx: Context & Mails<'create-passkey'>,
  tx: Transaction,
  user: Recipient,
  { callbackURL, pending }: { callbackURL: string | undefined; pending: PendingProfile },
): Promise<void> {
  const { lifetime } = policy.verifyEmail
  const token = await issueOneTimeToken(tx, {
    purpose: 'create-passkey',
    userId: user.id,
    email: user.email,
    lifetime,
    sealPayload: (place) => ctx.secretBox.seal(JSON.stringify(pending), place),
  })
  const url = pageUrl(ctx, '/create-passkey', { token, redirectTo: callbackURL })
  await queueMail(ctx, tx, { ...user, ...pending }, 'create-passkey', { url, hours: lifetime / 3600 }, lifetime)
}

export async function sendAlreadyRegistered(
  ctx: Context & Mails<'already-registered'>,
  tx: Transaction,
  user: Recipient,
  redirectTo: string | undefined,
): Promise<void> {
  const urls = { signInUrl: pageUrl(ctx, '/login', { redirectTo }), resetUrl: pageUrl(ctx, '/forgot-password', { redirectTo }) }
  await queueMail(ctx, tx, user, 'already-registered', urls)
}

/** Voids the links of former requests. */
export async function sendResetLink(
  ctx: Context & Mails<'reset-password'>,
  tx: Transaction,
  user: Recipient,
  redirectTo?: string,
): Promise<void> {
  const lifetime = policy.resetPassword.lifetime
  await voidOneTimeTokens(tx, user.id, ['reset-password'])
  const token = await issueOneTimeToken(tx, { purpose: 'reset-password', userId: user.id, email: user.email, lifetime })
  // Mail links stay on our origin. `/auth/reset-password` checks the token, then redirects to other front ends.
  const page = redirectTo === undefined ? '/reset-password' : '/auth/reset-password'
  const url = pageUrl(ctx, page, { token, callbackURL: redirectTo })
  await queueMail(ctx, tx, user, 'reset-password', { url, minutes: lifetime / 60 }, lifetime)
}

export async function sendPasswordCleared(
  ctx: Context & Mails<'password-cleared'>,
  tx: Transaction,
  user: Recipient,
): Promise<void> {
  const lifetime = policy.resetPassword.lifetime
  const token = await issueOneTimeToken(tx, { purpose: 'reset-password', userId: user.id, email: user.email, lifetime })
  const url = pageUrl(ctx, '/reset-password', { token })
  await queueMail(ctx, tx, user, 'password-cleared', { url, minutes: lifetime / 60 })
}

export async function sendEmailChangeUndone(
  ctx: Context & Mails<'email-change-undone'>,
  tx: Transaction,
  user: Recipient,
  effects: UndoEffects,
): Promise<void> {
  const lifetime = policy.resetPassword.lifetime
  const token = await issueOneTimeToken(tx, { purpose: 'reset-password', userId: user.id, email: user.email, lifetime })
  const unlinkedProviders = effects.unlinkedProviders.map((id) => ctx.providers.get(id as ProviderId)?.name ?? id)
  const urls = { url: pageUrl(ctx, '/reset-password', { token }), securityUrl: pageUrl(ctx, '/settings/security') }
  const variables = { ...urls, minutes: lifetime / 60, effects: { ...effects, unlinkedProviders } }
  await queueMail(ctx, tx, user, 'email-change-undone', variables)
}

/** Sends the confirmation link to the new address if it is free, and a notice to the current one. */
export async function sendEmailChange(
  ctx: Context & Mails<'change-email-confirm' | 'email-change-requested'>,
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
      'change-email-confirm',
      { account: user.email, url, hours: lifetime / 3600 },
      lifetime,
    )
  }
  const resetUrl = pageUrl(ctx, '/forgot-password')
  await queueMail(ctx, tx, user, 'email-change-requested', { newEmail, resetUrl })
}

/** Notifies the former address; with a `snapshot`, includes an undo link. `user` still has the former address. */
export async function sendEmailChanged(
  ctx: Context & Mails<'email-changed'>,
  tx: Transaction,
  user: Recipient,
  { newEmail, cause, snapshot }: { newEmail: string; cause: 'change' | 'undo'; snapshot: string | null },
): Promise<void> {
  const lifetime = policy.undoEmailChange.lifetime
  const days = lifetime / 86_400
  if (snapshot === null) return queueMail(ctx, tx, user, 'email-changed', { newEmail, cause, undoUrl: null, days })
  const token = await issueOneTimeToken(tx, {
    purpose: 'undo-email-change',
    userId: user.id,
    email: user.email,
    lifetime,
    sealPayload: (place) => ctx.secretBox.seal(snapshot, place),
  })
  const undoUrl = pageUrl(ctx, '/undo-email-change', { token })
  await queueMail(ctx, tx, user, 'email-changed', { newEmail, cause, undoUrl, days })
}

export async function sendDeletionLink(
  ctx: Context & Mails<'delete-account'>,
  tx: Transaction,
  user: Recipient,
  callbackURL: string | undefined,
): Promise<void> {
  const lifetime = policy.deleteAccount.lifetime
  await voidOneTimeTokens(tx, user.id, ['delete-account'])
  const token = await issueOneTimeToken(tx, { purpose: 'delete-account', userId: user.id, email: user.email, lifetime })
  const url = pageUrl(ctx, '/delete-account', { token, callbackURL })
  await queueMail(ctx, tx, user, 'delete-account', { url, minutes: lifetime / 60 }, lifetime)
}

export async function sendReauthenticationLink(
  ctx: Context & Mails<'reauthenticate'>,
  tx: Transaction,
  user: Recipient,
  callbackURL: string | undefined,
): Promise<void> {
  const { lifetime } = policy.reauthentication
  await voidOneTimeTokens(tx, user.id, ['reauthenticate'])
  const token = await issueOneTimeToken(tx, { purpose: 'reauthenticate', userId: user.id, email: user.email, lifetime })
  const url = pageUrl(ctx, '/reauthenticate', { token, callbackURL })
  await queueMail(ctx, tx, user, 'reauthenticate', { url, minutes: lifetime / 60 }, lifetime)
}

export async function sendAccountLinked(
  ctx: Context & Mails<'account-linked'>,
  tx: Transaction,
  user: Recipient,
  provider: string,
): Promise<void> {
  const accountsUrl = pageUrl(ctx, '/settings/accounts')
  await queueMail(ctx, tx, user, 'account-linked', { provider, accountsUrl })
}

export async function sendAccountUnlinked(
  ctx: Context & Mails<'account-unlinked'>,
  tx: Transaction,
  user: Recipient,
  providerId: string,
): Promise<void> {
  const provider = ctx.providers.get(providerId as ProviderId)?.name ?? null
  await queueMail(ctx, tx, user, 'account-unlinked', { provider, resetUrl: pageUrl(ctx, '/forgot-password') })
}

export async function sendBackupCodeUsed(
  ctx: Context & Mails<'backup-code-used'>,
  tx: Transaction,
  user: Recipient,
  left: number,
): Promise<void> {
  const securityUrl = pageUrl(ctx, '/settings/security')
  await queueMail(ctx, tx, user, 'backup-code-used', { left, securityUrl })
}

export async function sendTwoFactorLocked(
  ctx: Context & Mails<'two-factor-locked'>,
  tx: Transaction,
  user: Recipient,
  minutes: number,
): Promise<void> {
  const resetUrl = pageUrl(ctx, '/forgot-password')
  const trusted = await tx.trustedDevice.count({ where: { userId: user.id, expiresAt: { gt: new Date() } } })
  await queueMail(ctx, tx, user, 'two-factor-locked', { minutes, trustedDevices: trusted > 0, resetUrl })
}

/** `byReset`: with an emailed link, which ends every session. */
export async function sendPasswordChanged(
  ctx: Context & Mails<'password-changed'>,
  tx: Transaction,
  user: Recipient,
  { byReset }: { byReset: boolean },
): Promise<void> {
  await queueMail(ctx, tx, user, 'password-changed', { byReset, resetUrl: pageUrl(ctx, '/forgot-password') })
}

type SecurityMail =
  | 'password-set'
  | 'two-factor-enabled'
  | 'two-factor-disabled'
  | 'authenticator-added'
  | 'backup-codes-replaced'

const sendSecurityMail =
  <Name extends SecurityMail>(mail: Name) =>
  (ctx: Context & Mails<Name>, tx: Transaction, user: Recipient): Promise<void> => {
    const urls = { securityUrl: pageUrl(ctx, '/settings/security'), resetUrl: pageUrl(ctx, '/forgot-password') }
    return queueMail(ctx, tx, user, mail, urls as MailVariables[Name])
  }

export const sendPasswordSet = sendSecurityMail('password-set')
export const sendTwoFactorEnabled = sendSecurityMail('two-factor-enabled')
export const sendTwoFactorDisabled = sendSecurityMail('two-factor-disabled')
export const sendAuthenticatorAdded = sendSecurityMail('authenticator-added')
export const sendBackupCodesReplaced = sendSecurityMail('backup-codes-replaced')

type PasskeyMail = 'passkey-added' | 'passkey-removed' | 'passkey-counter'

const sendPasskeyMail =
  <Name extends PasskeyMail>(mail: Name) =>
  (ctx: Context & Mails<Name>, tx: Transaction, user: Recipient, passkey: string): Promise<void> => {
    const urls = { passkeysUrl: pageUrl(ctx, '/settings/passkeys'), resetUrl: pageUrl(ctx, '/forgot-password') }
    return queueMail(ctx, tx, user, mail, { passkey, ...urls } as MailVariables[Name])
  }

export const sendPasskeyAdded = sendPasskeyMail('passkey-added')
export const sendPasskeyRemoved = sendPasskeyMail('passkey-removed')
export const sendPasskeyCounter = sendPasskeyMail('passkey-counter')

type OwnedKey = DescribedKey & { organizationId: string | null }
type ApiKeyMail = 'api-key-created' | 'api-key-changed'

const sendApiKeyMail =
  <Name extends ApiKeyMail>(mail: Name) =>
  async (
    ctx: Context & Mails<Name>,
    tx: Transaction,
    user: Recipient,
    apiKey: OwnedKey & { scopes: string[] },
  ): Promise<void> => {
    const mayWithdraw = apiKey.scopes.includes('withdrawal:create')
    const urls = { apiKeysUrl: await apiKeysUrl(ctx, tx, apiKey), resetUrl: pageUrl(ctx, '/forgot-password') }
    return queueMail(ctx, tx, user, mail, { apiKey: describeKey(apiKey), mayWithdraw, ...urls } as MailVariables[Name])
  }

export const sendApiKeyCreated = sendApiKeyMail('api-key-created')
export const sendApiKeyChanged = sendApiKeyMail('api-key-changed')

export async function sendApiKeyLeaked(
  ctx: Context & Mails<'api-key-leaked'>,
  tx: Transaction,
  user: Recipient,
  apiKey: OwnedKey,
): Promise<void> {
  const variables = { apiKey: describeKey(apiKey), apiKeysUrl: await apiKeysUrl(ctx, tx, apiKey) }
  await queueMail(ctx, tx, user, 'api-key-leaked', variables)
}

async function apiKeysUrl(ctx: Context, tx: Transaction, { organizationId }: OwnedKey): Promise<string> {
  if (organizationId === null) return pageUrl(ctx, '/settings/api-keys')
  const { slug } = await tx.organization.findUniqueOrThrow({ where: { id: organizationId }, select: { slug: true } })
  return pageUrl(ctx, `/settings/organizations/${slug}/api-keys`)
}

export async function sendPasswordPaused(
  ctx: Context & Mails<'password-paused'>,
  tx: Transaction,
  user: Recipient,
  deviceKind: 'known' | 'unknown',
): Promise<void> {
  const resetUrl = pageUrl(ctx, '/forgot-password')
  await queueMail(ctx, tx, user, 'password-paused', { deviceKind, resetUrl })
}

export async function sendAccountDeleted(
  ctx: Context & Mails<'account-deleted'>,
  tx: Transaction,
  user: Recipient,
): Promise<void> {
  await queueMail(ctx, tx, user, 'account-deleted', {})
}

/** Uses the recipient's language if they have an account, else the inviter's. */
export async function sendInvitation(
  ctx: Context & Mails<'organization-invitation'>,
  tx: Transaction,
  email: string,
  { secret, ...content }: { secret: string; organization: string; inviter: string; role: Role },
): Promise<void> {
  const user = await tx.user.findUnique({ where: { email } })
  // Anyone can sign up with this address and choose the name.
  const name = user?.emailVerified ? user.name : ''
  const recipient = { id: user?.id ?? '', name, email, locale: user?.locale ?? ctx.client.locale }
  const url = pageUrl(ctx, '/accept-invitation', { token: secret })
  const lifetime = policy.organizations.invitationLifetime
  await queueMail(
    ctx,
    tx,
    recipient,
    'organization-invitation',
    { ...content, address: email, url, hours: lifetime / 3600 },
    lifetime,
  )
}

export async function sendMemberAdded(
  ctx: Context & Mails<'member-added'>,
  tx: Transaction,
  user: Recipient,
  content: { organization: string; actor: string },
): Promise<void> {
  const organizationsUrl = pageUrl(ctx, '/settings/organizations')
  await queueMail(ctx, tx, user, 'member-added', { ...content, organizationsUrl })
}

export async function sendMembershipDropped(
  ctx: Context & Mails<'membership-dropped'>,
  tx: Transaction,
  user: Recipient,
  content: { organization: string; most: number },
): Promise<void> {
  const organizationsUrl = pageUrl(ctx, '/settings/organizations')
  await queueMail(ctx, tx, user, 'membership-dropped', { ...content, organizationsUrl })
}

export async function sendMemberRemoved(
  ctx: Context & Mails<'member-removed'>,
  tx: Transaction,
  user: Recipient,
  content: { organization: string },
): Promise<void> {
  const organizationsUrl = pageUrl(ctx, '/settings/organizations')
  await queueMail(ctx, tx, user, 'member-removed', { ...content, organizationsUrl })
}

/** After `lifetime` seconds, the link is invalid and the queue drops the mail. */
function queueMail<Name extends MailName>(
  ctx: Context & Mails<Name>,
  tx: Transaction,
  { email, name, locale }: Recipient,
  mail: Name,
  variables: MailVariables[Name],
  lifetime?: number,
): Promise<void> {
  const { appName, baseUrl, supportUrl, brand } = ctx.settings
  const rendered = renderMail(mail, {
    locale: toLocale(locale),
    name,
    appName,
    baseUrl,
    supportUrl,
    brand,
    ...(variables as MailVariables[Name] & object),
  })
  const expiresAt = lifetime === undefined ? null : new Date(Date.now() + lifetime * 1000)
  return ctx.queueMail(tx, mail, { to: email, ...rendered }, expiresAt)
}

function pageUrl(ctx: Context, path: string, query: Record<string, string | undefined> = {}): string {
  const url = new URL(path, ctx.settings.baseUrl)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}
