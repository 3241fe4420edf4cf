import type { SecurityStep } from '@floorpass/api'

/** The pages of the settings, as the navigation and the overview show them. */
export const settingsGroups = [
  { group: 'account', sections: ['profile', 'email', 'password'] },
  {
    group: 'security',
    sections: ['passkeys', 'security', 'accounts', 'sessions', 'api-keys', 'allow-list', 'protection', 'activity'],
  },
  { group: 'trading', sections: ['trading'] },
  { group: 'teams', sections: ['organizations'] },
  { group: 'data', sections: ['danger'] },
] as const

export type SettingsSection = (typeof settingsGroups)[number]['sections'][number]

/** Where the person takes each step to a safer account. */
export const pathOfStep: Record<SecurityStep, string> = {
  'verify-email': '/verify-email',
  'add-passkey': '/settings/passkeys',
  'enable-two-factor': '/settings/security',
  'renew-backup-codes': '/settings/security/codes',
  'review-sessions': '/settings/sessions',
  'renew-password': '/settings/password',
}

/** The page whose state each step improves. */
export const sectionOfStep: Record<SecurityStep, SettingsSection> = {
  'verify-email': 'email',
  'add-passkey': 'passkeys',
  'enable-two-factor': 'security',
  'renew-backup-codes': 'security',
  'review-sessions': 'sessions',
  'renew-password': 'password',
}
