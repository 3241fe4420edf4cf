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
  | 'sign-up'
  | 'request'
  | 'account-request'
  | 'security'
  | 'former-email'
  | 'invitation'
  | 'membership'
  | 'farewell'

/** The mails that exist, and what the text of each needs beside the name of the service. */
export type MailVariables = {
  'verify-email': { url: string; hours: number }
  'create-passkey': { url: string; hours: number }
  'already-registered': { signInUrl: string; resetUrl: string }
  'reset-password': { url: string; minutes: number }
  /** `byReset`: with an emailed link, which ends every session. */
  'password-changed': { byReset: boolean; resetUrl: string }
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
  'passkey-added': { passkey: string; passkeysUrl: string; resetUrl: string }
  'passkey-removed': { passkey: string; passkeysUrl: string; resetUrl: string }
  'passkey-counter': { passkey: string; passkeysUrl: string; resetUrl: string }
  /** `mayWithdraw`: the key may start withdrawals. */
  'api-key-created': { apiKey: string; mayWithdraw: boolean; apiKeysUrl: string; resetUrl: string }
  'api-key-changed': { apiKey: string; mayWithdraw: boolean; apiKeysUrl: string; resetUrl: string }
  'api-key-leaked': { apiKey: string; apiKeysUrl: string }
  /** To an address that may have no account yet: `inviter` and `organization` are names that other users choose. */
  'organization-invitation': {
    inviter: string
    organization: string
    role: 'owner' | 'admin' | 'member'
    address: string
    url: string
    hours: number
  }
  'member-added': { actor: string; organization: string; organizationsUrl: string }
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
