import type { Session, Transaction, User } from '@floorpass/db'
import { type Mail, type MailName, type MailProtection, type MailVariables, offersPanic, renderMail } from '@floorpass/email'
import { type DescribedKey, describeKey } from '../api-key-checks/describe-key.ts'
import type { Context } from '../context.ts'
import type { UndoEffects } from '../email-address/undo-effects.ts'
import { getHoldEnd } from '../kernel/account-protection.ts'
import type { AdministratorRole } from '../kernel/administrator-roles.ts'
import { toLocale } from '../kernel/locale.ts'
import { policy } from '../kernel/policy.ts'
import type { ProviderId } from '../kernel/provider-ids.ts'
import { may } from '../kernel/role-permissions.ts'
import type { Role } from '../kernel/roles.ts'
import { issueOneTimeToken, voidOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import { findUndoAddresses } from '../users/open-undo.ts'
import { openPhrase } from '../users/phrase.ts'

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
  const apiKeysUrl = byReset && (await hasWorkingApiKey(tx, user.id)) ? pageUrl(ctx, '/settings/api-keys') : null
  await queueMail(ctx, tx, user, 'password-changed', { byReset, resetUrl: pageUrl(ctx, '/forgot-password'), apiKeysUrl })
}

async function hasWorkingApiKey(tx: Transaction, userId: string): Promise<boolean> {
  const lasts = [{ expiresAt: null }, { expiresAt: { gt: new Date() } }]
  return (await tx.apiKey.count({ where: { userId, organizationId: null, enabled: true, OR: lasts } })) > 0
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

export const sendAdministratorRole = (
  ctx: Context & Mails<'administrator-role'>,
  tx: Transaction,
  user: Recipient,
  role: AdministratorRole | null,
): Promise<void> => queueMail(ctx, tx, user, 'administrator-role', { role, securityUrl: pageUrl(ctx, '/settings/security') })

/** What an administrator did to the account of the recipient. */
export const sendSupportAct = (
  ctx: Context & Mails<'support-act'>,
  tx: Transaction,
  user: Recipient,
  { act, until }: Pick<MailVariables['support-act'], 'act' | 'until'>,
): Promise<void> => {
  const resetUrl = act === 'restored' || act === 'password-set' ? pageUrl(ctx, '/forgot-password') : null
  return queueMail(ctx, tx, user, 'support-act', { act, until, resetUrl })
}

export const sendApprovalRequested = (
  ctx: Context & Mails<'approval-requested'>,
  tx: Transaction,
  administrator: Recipient,
  {
    subject,
    ...request
  }: Pick<MailVariables['approval-requested'], 'act' | 'role' | 'requester'> & { subject: Pick<User, 'id' | 'email'> },
): Promise<void> =>
  queueMail(ctx, tx, administrator, 'approval-requested', {
    ...request,
    email: subject.email,
    userUrl: pageUrl(ctx, `/admin/users/${encodeURIComponent(subject.id)}`),
    hours: policy.administration.approvalLifetime / 3600,
  })

export const sendImpersonated = (
  ctx: Context & Mails<'impersonated'>,
  tx: Transaction,
  user: Recipient,
  { reason, session }: { reason: string; session: Pick<Session, 'createdAt' | 'expiresAt'> },
): Promise<void> => {
  const times = { from: session.createdAt, until: session.expiresAt }
  return queueMail(ctx, tx, user, 'impersonated', { reason, ...times, sessionsUrl: pageUrl(ctx, '/settings/sessions') })
}

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

type ProtectionMail = 'phrase-changed' | 'hold-lifted' | 'unlock-canceled' | 'unlock-refused'

const sendProtectionMail =
  <Name extends ProtectionMail>(mail: Name) =>
  (ctx: Context & Mails<Name>, tx: Transaction, user: Recipient): Promise<void> =>
    queueMail(ctx, tx, user, mail, { protectionUrl: protectionUrl(ctx) } as MailVariables[Name])

export const sendPhraseChanged = sendProtectionMail('phrase-changed')
export const sendHoldLifted = sendProtectionMail('hold-lifted')
export const sendUnlockCanceled = sendProtectionMail('unlock-canceled')
export const sendUnlockRefused = sendProtectionMail('unlock-refused')

export const sendAccountLocked = (
  ctx: Context & Mails<'account-locked'>,
  tx: Transaction,
  user: Recipient,
  days: number,
): Promise<void> => queueMail(ctx, tx, user, 'account-locked', { days, protectionUrl: protectionUrl(ctx) })

export const sendUnlockRequested = (
  ctx: Context & Mails<'unlock-requested'>,
  tx: Transaction,
  user: Recipient,
  request: { until: Date; byOperator: boolean },
): Promise<void> => queueMail(ctx, tx, user, 'unlock-requested', { ...request, protectionUrl: protectionUrl(ctx) })

export const sendAccountUnlocked = (
  ctx: Context & Mails<'account-unlocked'>,
  tx: Transaction,
  user: Recipient,
  by: 'key' | 'panic-undone',
): Promise<void> => queueMail(ctx, tx, user, 'account-unlocked', { by, protectionUrl: protectionUrl(ctx) })

/** Also to the former addresses that can undo a change of the email: the present one may be a thief's. */
export async function sendPanicked(
  ctx: Context & Mails<'panicked'>,
  tx: Transaction,
  user: Recipient,
  apiKeys: number,
): Promise<void> {
  const urls = { resetUrl: pageUrl(ctx, '/forgot-password'), protectionUrl: protectionUrl(ctx) }
  for (const email of new Set([user.email, ...(await findUndoAddresses(tx, user.id))]))
    await queueMail(ctx, tx, { ...user, email }, 'panicked', { apiKeys, ...urls })
}

const protectionUrl = (ctx: Context): string => pageUrl(ctx, '/settings/protection')

type OwnedKey = DescribedKey & { organizationId: string | null }
type ApiKeyMail = 'api-key-created' | 'api-key-changed'

const mayWithdraw = ({ scopes }: { scopes: string[] }): boolean => scopes.includes('withdrawal:create')

const sendApiKeyMail =
  <Name extends ApiKeyMail>(mail: Name) =>
  async (
    ctx: Context & Mails<Name>,
    tx: Transaction,
    user: Recipient,
    apiKey: OwnedKey & { scopes: string[] },
  ): Promise<void> => {
    const described = await describeOwnedKey(ctx, tx, apiKey)
    const variables = { ...described, mayWithdraw: mayWithdraw(apiKey), resetUrl: pageUrl(ctx, '/forgot-password') }
    return queueMail(ctx, tx, user, mail, variables as MailVariables[Name])
  }

export const sendApiKeyCreated = sendApiKeyMail('api-key-created')
export const sendApiKeyChanged = sendApiKeyMail('api-key-changed')

/** To the creator of a key of an organization. */
export async function sendApiKeyChangedByAnother(
  ctx: Context & Mails<'api-key-changed-by-another'>,
  tx: Transaction,
  key: OwnedKey & { userId: string; scopes: string[] },
  actor: string,
): Promise<void> {
  const creator = await tx.user.findUniqueOrThrow({ where: { id: key.userId } })
  const variables = { ...(await describeOwnedKey(ctx, tx, key)), mayWithdraw: mayWithdraw(key), actor }
  await queueMail(ctx, tx, creator, 'api-key-changed-by-another', variables)
}

/** To the creator, and to the owners of an organization whose key it is. */
export async function sendApiKeyLeaked(
  ctx: Context & Mails<'api-key-leaked'>,
  tx: Transaction,
  key: OwnedKey & { userId: string },
): Promise<void> {
  const variables = await describeOwnedKey(ctx, tx, key)
  const recipients = await findUserAndOwners(tx, key.userId, key.organizationId)
  for (const recipient of recipients) await queueMail(ctx, tx, recipient, 'api-key-leaked', variables)
}

/** A user, and the owners of an organization if there is one. */
async function findUserAndOwners(tx: Transaction, userId: string, organizationId: string | null): Promise<User[]> {
  const owners =
    organizationId === null
      ? []
      : await tx.member.findMany({ where: { organizationId, role: 'owner', acceptedAt: { not: null } } })
  const ids = new Set([userId, ...owners.map((owner) => owner.userId)])
  return tx.user.findMany({ where: { id: { in: [...ids] } } })
}

async function describeOwnedKey(ctx: Context, tx: Transaction, key: OwnedKey): Promise<MailVariables['api-key-leaked']> {
  const { organizationId: id } = key
  const apiKey = describeKey(key)
  if (id === null) return { apiKey, organization: null, apiKeysUrl: pageUrl(ctx, '/settings/api-keys') }
  const { name, slug } = await tx.organization.findUniqueOrThrow({ where: { id }, select: { name: true, slug: true } })
  return { apiKey, organization: name, apiKeysUrl: pageUrl(ctx, `/settings/organizations/${slug}/api-keys`) }
}

type AllowListMail = 'allow-list-added' | 'allow-list-removed' | 'allow-list-enabled' | 'allow-list-disabling'

const sendAllowListMail =
  <Name extends AllowListMail>(mail: Name) =>
  (
    ctx: Context & Mails<Name>,
    tx: Transaction,
    user: Recipient,
    content: Omit<MailVariables[Name], 'allowListUrl' | 'resetUrl'>,
  ): Promise<void> => {
    const urls = { allowListUrl: pageUrl(ctx, '/settings/allow-list'), resetUrl: pageUrl(ctx, '/forgot-password') }
    return queueMail(ctx, tx, user, mail, { ...content, ...urls } as MailVariables[Name])
  }

export const sendAllowListAdded = sendAllowListMail('allow-list-added')
export const sendAllowListRemoved = sendAllowListMail('allow-list-removed')
export const sendAllowListEnabled = sendAllowListMail('allow-list-enabled')
export const sendAllowListDisabling = sendAllowListMail('allow-list-disabling')

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

/** To the owners and to the person who gives the role: a thief in that account may be the one. Other roles send no mail. */
export async function sendRoleGiven(
  ctx: Context & { user: { id: string; name: string } } & Mails<'role-given'>,
  tx: Transaction,
  organization: { id: string; name: string },
  { email, role }: { email: string; role: Role },
): Promise<void> {
  if (!may(role, 'apiKey', 'create')) return
  const recipients = await findUserAndOwners(tx, ctx.user.id, organization.id)
  const content = {
    email,
    role,
    actor: ctx.user.name,
    organization: organization.name,
    days: policy.organizations.newRoleHold / 86_400,
  }
  const organizationsUrl = pageUrl(ctx, '/settings/organizations')
  for (const recipient of recipients) await queueMail(ctx, tx, recipient, 'role-given', { ...content, organizationsUrl })
}

/** To the new owner and to the former ones. */
export async function sendOwnerChanged(
  ctx: Context & Mails<'organization-owner-changed'>,
  tx: Transaction,
  organizationId: string,
  ownerId: string,
  formerIds: readonly string[],
): Promise<void> {
  const organization = await tx.organization.findUniqueOrThrow({ where: { id: organizationId } })
  const users = await tx.user.findMany({ where: { id: { in: [ownerId, ...formerIds] } } })
  const email = users.find(({ id }) => id === ownerId)?.email ?? ''
  const organizationsUrl = pageUrl(ctx, '/settings/organizations')
  const content = { email, organization: organization.name, organizationsUrl }
  for (const user of users)
    await queueMail(ctx, tx, user, 'organization-owner-changed', { ...content, isOwner: user.id === ownerId })
}

/** To the owners, when the organization was suspended or restored. */
export async function sendOrganizationSuspension(
  ctx: Context & Mails<'organization-suspension'>,
  tx: Transaction,
  id: string,
): Promise<void> {
  const { name, suspendedAt } = await tx.organization.findUniqueOrThrow({ where: { id } })
  const owners = await tx.user.findMany({ where: { memberships: { some: { organizationId: id, role: 'owner' } } } })
  const content = {
    organization: name,
    isSuspended: suspendedAt !== null,
    organizationsUrl: pageUrl(ctx, '/settings/organizations'),
  }
  for (const owner of owners) await queueMail(ctx, tx, owner, 'organization-suspension', content)
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
async function queueMail<Name extends MailName>(
  ctx: Context & Mails<Name>,
  tx: Transaction,
  recipient: Recipient,
  mail: Name,
  variables: MailVariables[Name],
  lifetime?: number,
): Promise<void> {
  const { appName, baseUrl, supportUrl, brand } = ctx.settings
  const { email, name, locale } = recipient
  const rendered = renderMail(mail, {
    locale: toLocale(locale),
    name,
    appName,
    baseUrl,
    supportUrl,
    brand,
    protection: await protectMail(ctx, tx, recipient, {
      mail,
      isFormerOwner: 'cause' in variables && variables.cause === 'change',
    }),
    ...(variables as MailVariables[Name] & object),
  })
  const expiresAt = lifetime === undefined ? null : new Date(Date.now() + lifetime * 1000)
  return ctx.queueMail(tx, mail, { to: email, ...rendered }, expiresAt)
}

const unprotectedMail: MailProtection = { phrase: null, panicUrl: null, heldUntil: null }

/** The phrase and the panic link go to the user's own address, and to the former one after a change: a thief may have entered another. */
async function protectMail(
  ctx: Context,
  tx: Transaction,
  { id: userId, email }: Recipient,
  { mail, isFormerOwner }: { mail: MailName; isFormerOwner: boolean },
): Promise<MailProtection> {
  if (mail === 'organization-invitation') return unprotectedMail
  const user = await tx.user.findUnique({ where: { id: userId } })
  if (!user) return unprotectedMail
  const isOwnAddress = user.emailVerified && (user.email === email || isFormerOwner)
  return {
    phrase: isOwnAddress ? openPhrase(ctx, user) : null,
    panicUrl: isOwnAddress && offersPanic(mail) ? await createPanicUrl(ctx, tx, userId) : null,
    heldUntil: getHoldEnd(user),
  }
}

/** The link outlives a change of the address. */
async function createPanicUrl(ctx: Context, tx: Transaction, userId: string): Promise<string> {
  const { lifetime } = policy.panic
  return pageUrl(ctx, '/panic', {
    token: await issueOneTimeToken(tx, { purpose: 'panic', userId, email: null, lifetime }),
  })
}

function pageUrl(ctx: Context, path: string, query: Record<string, string | undefined> = {}): string {
  const url = new URL(path, ctx.settings.baseUrl)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}
