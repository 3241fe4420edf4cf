import type { MailName, MailVariables } from '@floorpass/languages/types'
import { type MailContext, type RenderedMail, renderMail } from './render-mail.ts'

type Samples = { [Name in MailName]: [MailVariables[Name], ...MailVariables[Name][]] }

/** Realistic values for each mail, and one more entry for each other text that the mail can have. */
export function mailSamples(baseUrl: string): Samples {
  const page = (path: string) => new URL(path, baseUrl).href
  const link = (path: string) => page(`${path}?token=sample-of-a-token-as-long-as-a-real-one-is`)
  const resetUrl = page('/forgot-password')
  const securityUrl = page('/settings/security')
  const protectionUrl = page('/settings/protection')
  const organizationsUrl = page('/settings/organizations')
  const apiKey = {
    apiKey: 'Market maker',
    organization: null,
    mayWithdraw: false,
    apiKeysUrl: page('/settings/api-keys'),
    resetUrl,
  }
  const organizationKey = { organization: 'Harbor Desk', apiKeysUrl: page('/settings/organizations/harbor-desk/api-keys') }
  const allowListUrl = page('/settings/allow-list')
  const wallet = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
  const address = { kind: 'bitcoin', value: wallet, label: 'Cold wallet', allowListUrl, resetUrl }
  const approval = { requester: 'grace@trade.example', email: 'kim@trade.example', userUrl: page('/admin/users/0199'), hours: 24 }
  const passkey = { passkey: 'iCloud Keychain', passkeysUrl: page('/settings/passkeys'), resetUrl }
  const newEmail = 'ada@analytical-engine.example'
  const invitation = { inviter: 'Grace Hopper', organization: 'Harbor Desk', address: 'ada@example.com' }

  return {
    'verify-email': [{ url: link('/verify-email'), hours: 24 }],
    'create-passkey': [{ url: link('/create-passkey'), hours: 24 }],
    'already-registered': [{ signInUrl: page('/login'), resetUrl }],
    'reset-password': [{ url: link('/reset-password'), minutes: 60 }],
    'password-changed': [
      { byReset: false, resetUrl, apiKeysUrl: null },
      { byReset: true, resetUrl, apiKeysUrl: null },
      { byReset: true, resetUrl, apiKeysUrl: page('/settings/api-keys') },
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
          addressesRemoved: 1,
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
          addressesRemoved: 0,
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
    'phrase-changed': [{ protectionUrl }],
    'hold-lifted': [{ protectionUrl }],
    'account-locked': [{ days: 7, protectionUrl }],
    'unlock-requested': [
      { until: new Date('2026-12-04T14:00:00Z'), byOperator: false, protectionUrl },
      { until: new Date('2026-12-04T14:00:00Z'), byOperator: true, protectionUrl },
    ],
    'unlock-canceled': [{ protectionUrl }],
    'account-unlocked': [
      { by: 'key', protectionUrl },
      { by: 'panic-undone', protectionUrl },
    ],
    'unlock-refused': [{ protectionUrl }],
    panicked: [
      { apiKeys: 0, resetUrl, protectionUrl },
      { apiKeys: 1, resetUrl, protectionUrl },
      { apiKeys: 3, resetUrl, protectionUrl },
    ],
    'passkey-added': [passkey],
    'passkey-removed': [passkey],
    'passkey-counter': [passkey],
    'api-key-created': [apiKey, { ...apiKey, mayWithdraw: true }, { ...apiKey, ...organizationKey }],
    'api-key-changed': [apiKey, { ...apiKey, ...organizationKey }],
    'api-key-changed-by-another': [{ apiKey: 'Market maker', ...organizationKey, mayWithdraw: false, actor: 'Grace Hopper' }],
    'api-key-leaked': [
      { apiKey: 'Market maker', organization: null, apiKeysUrl: apiKey.apiKeysUrl },
      { apiKey: 'Market maker', ...organizationKey },
    ],
    'allow-list-added': [
      { ...address, usableFrom: new Date('2026-11-27T12:41:00Z') },
      { ...address, label: '', usableFrom: new Date('2026-11-27T12:41:00Z') },
    ],
    'allow-list-removed': [address],
    'allow-list-enabled': [{ allowListUrl, resetUrl }],
    'allow-list-disabling': [{ endsAt: new Date('2026-11-27T12:41:00Z'), allowListUrl, resetUrl }],
    'organization-invitation': [{ ...invitation, role: 'member', url: link('/accept-invitation'), hours: 48 }],
    'webhook-paused': [
      { webhook: '01939d49-2e67-7f18-86b4-3a7c9d0e5f63', host: 'hooks.example.com', reason: 'failing' },
      { webhook: '01939d49-2e67-7f18-86b4-3a7c9d0e5f63', host: 'hooks.example.com', reason: 'gone' },
    ],
    'member-added': [{ actor: 'Grace Hopper', organization: 'Harbor Desk', organizationsUrl }],
    'organization-suspension': [
      { organization: 'Harbor Desk', isSuspended: true, organizationsUrl },
      { organization: 'Harbor Desk', isSuspended: false, organizationsUrl },
    ],
    'organization-owner-changed': [
      { email: 'kim@trade.example', organization: 'Harbor Desk', isOwner: true, organizationsUrl },
      { email: 'kim@trade.example', organization: 'Harbor Desk', isOwner: false, organizationsUrl },
    ],
    'administrator-role': [
      { role: 'support', securityUrl },
      { role: null, securityUrl },
    ],
    'support-act': [
      { act: 'suspended', until: new Date('2026-03-14T09:30:00Z'), resetUrl: null },
      { act: 'suspended', until: null, resetUrl: null },
      { act: 'restored', until: null, resetUrl },
      { act: 'updated', until: null, resetUrl: null },
      { act: 'api-key-deleted', until: null, resetUrl: null },
      { act: 'password-set', until: null, resetUrl },
    ],
    'approval-requested': [
      { act: 'set-role', role: 'support', ...approval },
      { act: 'set-role', role: 'user', ...approval },
      { act: 'restore-user', role: '', ...approval },
      { act: 'remove-user', role: '', ...approval },
      { act: 'disable-two-factor', role: '', ...approval },
    ],
    impersonated: [
      {
        reason: 'You asked us why your withdrawal waits (ticket 4711).',
        from: new Date('2026-11-27T12:41:00Z'),
        until: new Date('2026-11-27T13:11:00Z'),
        sessionsUrl: page('/settings/sessions'),
      },
    ],
    'role-given': [
      {
        email: 'kim@trade.example',
        role: 'admin',
        actor: 'Grace Hopper',
        organization: 'Harbor Desk',
        days: 3,
        organizationsUrl,
      },
    ],
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
