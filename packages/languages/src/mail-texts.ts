import type { UndoEffects } from './undo-effects.ts'

export type MailLink = { label: string; url: string }

export type MailContent = {
  subject: string
  preheader: string
  heading: string
  paragraphs: string[]
  list?: { title: string; items: string[] }
  action?: MailLink
  secondAction?: MailLink
  footnote?: string
  /** The mail tells the person to contact the team: it carries SUPPORT_URL where one is set. */
  needsSupport?: boolean
}

/** Why a person gets a mail. The footer says it. */
export type MailReason =
  | 'administration'
  | 'support'
  | 'sign-up'
  | 'request'
  | 'account-request'
  | 'security'
  | 'former-email'
  | 'invitation'
  | 'membership'
  | 'webhook'
  | 'farewell'

/** Where money may go. `label` may be empty. */
export type AllowedAddress = { kind: string; value: string; label: string }

/** The mails that exist, and what the text of each needs beside the name of the service. */
export type MailVariables = {
  'verify-email': { url: string; hours: number }
  'create-passkey': { url: string; hours: number }
  'already-registered': { signInUrl: string; resetUrl: string }
  'reset-password': { url: string; minutes: number }
  /** `byReset`: with an emailed link, which ends every session. `apiKeysUrl` is null if no API key keeps working. */
  'password-changed': { byReset: boolean; resetUrl: string; apiKeysUrl: string | null }
  'password-cleared': { url: string; minutes: number }
  /** `deviceKind` says which devices sent the wrong passwords. */
  'password-paused': { deviceKind: 'known' | 'unknown'; resetUrl: string }
  'password-set': { resetUrl: string }
  'change-email-confirm': { account: string; url: string; hours: number }
  'email-change-requested': { newEmail: string; resetUrl: string }
  /** `undoUrl` is null when an undo link of an earlier email is open (`cause: 'change'`) or was just used (`'undo'`). */
  'email-changed': { newEmail: string; cause: 'change' | 'undo'; undoUrl: string | null; days: number }
  'email-change-undone': {
    url: string
    minutes: number
    securityUrl: string
    effects: UndoEffects
  }
  'delete-account': { url: string; minutes: number }
  reauthenticate: { url: string; minutes: number }
  'account-linked': { provider: string; accountsUrl: string }
  /** `provider` is null when it was the password that was removed. */
  'account-unlinked': { provider: string | null; resetUrl: string }
  'account-deleted': object
  'phrase-changed': { protectionUrl: string }
  'hold-lifted': { protectionUrl: string }
  /** `days`: from the request to unlock until the lock ends. */
  'account-locked': { days: number; protectionUrl: string }
  'unlock-requested': { until: Date; byOperator: boolean; protectionUrl: string }
  'unlock-canceled': { protectionUrl: string }
  'account-unlocked': { by: 'key' | 'panic-undone'; protectionUrl: string }
  'unlock-refused': { protectionUrl: string }
  panicked: { apiKeys: number; resetUrl: string; protectionUrl: string }
  'passkey-added': { passkey: string; passkeysUrl: string; resetUrl: string }
  'passkey-removed': { passkey: string; passkeysUrl: string; resetUrl: string }
  'passkey-counter': { passkey: string; passkeysUrl: string; resetUrl: string }
  /** `mayWithdraw`: the key may start withdrawals. `organization` is null for a key of the account. */
  'api-key-created': { apiKey: string; organization: string | null; mayWithdraw: boolean; apiKeysUrl: string; resetUrl: string }
  'api-key-changed': { apiKey: string; organization: string | null; mayWithdraw: boolean; apiKeysUrl: string; resetUrl: string }
  /** To the creator of the key. `actor` is a name that another user chose. */
  'api-key-changed-by-another': {
    apiKey: string
    organization: string | null
    mayWithdraw: boolean
    actor: string
    apiKeysUrl: string
  }
  'api-key-leaked': { apiKey: string; organization: string | null; apiKeysUrl: string }
  'allow-list-added': AllowedAddress & { usableFrom: Date; allowListUrl: string; resetUrl: string }
  'allow-list-removed': AllowedAddress & { allowListUrl: string; resetUrl: string }
  'allow-list-enabled': { allowListUrl: string; resetUrl: string }
  'allow-list-disabling': { endsAt: Date; allowListUrl: string; resetUrl: string }
  /** To an address that may have no account yet: `inviter` and `organization` are names that other users choose. */
  'organization-invitation': {
    inviter: string
    organization: string
    role: 'owner' | 'admin' | 'member'
    address: string
    url: string
    hours: number
  }
  /** To the contact that an operator named. `host` is that of the webhook's URL. */
  'webhook-paused': { webhook: string; host: string; reason: 'gone' | 'failing' }
  'member-added': { actor: string; organization: string; organizationsUrl: string }
  /** To the owners and to the person who gave the role to `email`. */
  'role-given': {
    email: string
    role: 'owner' | 'admin' | 'member'
    actor: string
    organization: string
    days: number
    organizationsUrl: string
  }
  /** `email`: the new owner's. `isOwner`: the mail is for the new owner. */
  'organization-suspension': { organization: string; isSuspended: boolean; organizationsUrl: string }
  'organization-owner-changed': { email: string; organization: string; isOwner: boolean; organizationsUrl: string }
  /** `role`: null when it was revoked. */
  'administrator-role': { role: 'admin' | 'support' | 'auditor' | null; securityUrl: string }
  /** `until`: when a suspension ends by itself. `resetUrl`: where the account is open and its password counts. */
  'support-act': {
    act: 'suspended' | 'restored' | 'updated' | 'password-set' | 'api-key-deleted'
    until: Date | null
    resetUrl: string | null
  }
  /** `role`: that `set-role` gives; `user` takes it away. */
  'approval-requested': {
    act: 'set-role' | 'restore-user' | 'remove-user' | 'disable-two-factor'
    role: string
    requester: string
    email: string
    userUrl: string
    hours: number
  }
  /** `reason`: the words of the administrator. */
  impersonated: { reason: string; from: Date; until: Date; sessionsUrl: string }
  'member-removed': { organization: string; organizationsUrl: string }
  'membership-dropped': { organization: string; most: number; organizationsUrl: string }
  'two-factor-enabled': { securityUrl: string; resetUrl: string }
  'authenticator-added': { securityUrl: string; resetUrl: string }
  'two-factor-disabled': { resetUrl: string }
  /** `trustedDevices`: whether the account has any. */
  'two-factor-locked': { minutes: number; trustedDevices: boolean; resetUrl: string }
  'backup-codes-replaced': { resetUrl: string }
  /** `left`: the codes that still work. */
  'backup-code-used': { left: number; securityUrl: string }
}

export type MailName = keyof MailVariables

/** The mails in one language. */
export type MailTexts = {
  /** `name` may be empty. */
  greeting: (name: string) => string
  /** Shows the recipient's own words. */
  phrase: (phrase: string) => string
  held: (until: Date) => string
  /** The link that stops a thief. Plain text shows `text` before the address, HTML also the label. */
  panic: { text: string; label: string }
  copyLink: string
  /** The label of the link to SUPPORT_URL. */
  support: string
  /** A label before its link. */
  linkLabel: (label: string) => string
  /** Sets what the language needs in every text, such as spaces that must not break the line. */
  typeset?: (text: string) => string
  reasons: Record<MailReason, (appName: string) => string>
  contents: { [Name in MailName]: (variables: MailVariables[Name] & { appName: string }) => MailContent }
}

/** "27 November 2026 at 14:00 UTC": the recipient may be in any zone. */
export const momentIn = (language: string) => (moment: Date) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(moment)

// Create it lazily: the first formatter loads 20 MB of locale data.
const format = (language: string, unit: 'minute' | 'hour' | 'day') => (count: number) =>
  new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count)

/** "5 minutes", in the language of a BCP 47 tag. */
export const durationIn = (language: string) => ({
  minutes: format(language, 'minute'),
  hours: format(language, 'hour'),
  days: format(language, 'day'),
})

/** The items under their title; nothing without items. */
export function bulletList(title: string, items: (string | false)[]): Pick<MailContent, 'list'> {
  const kept = items.filter((item) => item !== false)
  return kept.length > 0 ? { list: { title, items: kept } } : {}
}
