import type { MailName, MailVariables } from '@floorpass/languages/types'
import { type MailContext, type RenderedMail, renderMail } from './render-mail.ts'

type Samples = { [Name in MailName]: [MailVariables[Name], ...MailVariables[Name][]] }

/** Realistic values for each mail, and one more entry for each other text that the mail can have. */
export function mailSamples(baseUrl: string): Samples {
  const page = (path: string) => new URL(path, baseUrl).href
  const link = (path: string) => page(`${path}?token=sample-of-a-token-as-long-as-a-real-one-is`)
  const resetUrl = page('/forgot-password')
  const securityUrl = page('/settings/security')
  const organizationsUrl = page('/settings/organizations')
  const apiKey = { apiKey: 'Market maker', mayWithdraw: false, apiKeysUrl: page('/settings/api-keys'), resetUrl }
  const passkey = { passkey: 'iCloud Keychain', passkeysUrl: page('/settings/passkeys'), resetUrl }
  const newEmail = 'ada@analytical-engine.example'
  const invitation = { inviter: 'Grace Hopper', organization: 'Harbor Desk', address: 'ada@example.com' }

  return {
    'verify-email': [{ url: link('/verify-email'), hours: 24 }],
    'create-passkey': [{ url: link('/create-passkey'), hours: 24 }],
    'already-registered': [{ signInUrl: page('/login'), resetUrl }],
    'reset-password': [{ url: link('/reset-password'), minutes: 60 }],
    'password-changed': [
      { byReset: false, resetUrl },
      { byReset: true, resetUrl },
    ],
    'password-cleared': [{ url: link('/reset-password'), minutes: 60 }],
    'password-paused': [
      { deviceKind: 'unknown', resetUrl },
      { deviceKind: 'known', resetUrl },
    ],
    'password-set': [{ resetUrl }],
    'change-email-confirm': [{ account: 'ada@example.com', url: link('/verify-email'), hours: 1 }],
    'email-change-requested': [{ newEmail, resetUrl }],
    'email-changed': [
      { newEmail, cause: 'change', undoUrl: link('/undo-email-change'), days: 7 },
      { newEmail, cause: 'change', undoUrl: null, days: 7 },
      { newEmail, cause: 'undo', undoUrl: null, days: 7 },
    ],
    'email-change-undone': [
      {
        url: link('/reset-password'),
        minutes: 60,
        securityUrl,
        effects: {
          passwordRemoved: true,
          unlinkedProviders: ['GitHub'],
          twoFactor: 'removed',
          backupCodesRemoved: true,
          passkeysRemoved: 1,
          apiKeysRemoved: 2,
          trustedDevices: 1,
          invitations: 2,
          tradingDisabled: true,
          riskLevelLowered: true,
          profileRestored: true,
        },
      },
      {
        url: link('/reset-password'),
        minutes: 60,
        securityUrl,
        effects: {
          passwordRemoved: false,
          unlinkedProviders: [],
          twoFactor: 'restored',
          backupCodesRemoved: false,
          passkeysRemoved: 0,
          apiKeysRemoved: 0,
          trustedDevices: 0,
          invitations: 0,
          tradingDisabled: false,
          riskLevelLowered: false,
          profileRestored: false,
        },
      },
    ],
    'delete-account': [{ url: link('/delete-account'), minutes: 60 }],
    reauthenticate: [{ url: link('/reauthenticate'), minutes: 15 }],
    'account-linked': [{ provider: 'GitHub', accountsUrl: page('/settings/accounts') }],
    'account-unlinked': [
      { provider: 'GitHub', resetUrl },
      { provider: null, resetUrl },
    ],
    'account-deleted': [{}],
    'passkey-added': [passkey],
    'passkey-removed': [passkey],
    'passkey-counter': [passkey],
    'api-key-created': [apiKey, { ...apiKey, mayWithdraw: true }],
    'api-key-changed': [apiKey],
    'api-key-leaked': [{ apiKey: 'Market maker', apiKeysUrl: page('/settings/api-keys') }],
    'organization-invitation': [{ ...invitation, role: 'member', url: link('/accept-invitation'), hours: 48 }],
    'member-added': [{ actor: 'Grace Hopper', organization: 'Harbor Desk', organizationsUrl }],
    'member-removed': [{ organization: 'Harbor Desk', organizationsUrl }],
    'membership-dropped': [{ organization: 'Harbor Desk', most: 5, organizationsUrl }],
    'two-factor-enabled': [{ securityUrl, resetUrl }],
    'authenticator-added': [{ securityUrl, resetUrl }],
    'two-factor-disabled': [{ resetUrl }],
    'two-factor-locked': [
      { minutes: 15, trustedDevices: true, resetUrl },
      { minutes: 15, trustedDevices: false, resetUrl },
    ],
    'backup-codes-replaced': [{ resetUrl }],
    'backup-code-used': [{ left: 9, securityUrl }],
  }
}

/** A mail with each of its samples. */
export function renderSamples<Name extends MailName>(mail: Name, context: MailContext): RenderedMail[] {
  const samples: (MailVariables[Name] & object)[] = mailSamples(context.baseUrl)[mail]
  return samples.map((variables) => renderMail(mail, { ...context, ...variables }))
}
