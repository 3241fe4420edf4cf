import type { Page } from '@playwright/test'
import { askToConfirm, withdrawal } from './confirmations.ts'
import { press, scriptsAtWork } from './drivers.ts'
import type { Scene, Visitor } from './scene.ts'

export type PageRow = {
  /** Names its pictures in docs/screens. */
  name: string
  path: string | ((scene: Scene) => string)
  as: Visitor
  status?: 200 | 404
  /** Its address carries a secret from a mail, or may. */
  token?: true
  /** The browser's language; English by default. An account has its own setting. */
  locale?: 'fr'
  /** Looks like another row: tested as all are, not photographed. */
  photo?: false
  /** What is done on the page before it is looked at, in English. */
  reach?: (page: Page, scene: Scene) => Promise<unknown>
}

const refused = (name: string) => async (page: Page) => {
  await press(page, name)
  await page.getByRole('alert').waitFor()
}
// An earlier row may have begun the set-up.
const setUp = /^(Set up|Start over)$/
const withPassword = (button: string | RegExp) => async (page: Page, scene: Scene) => {
  await page.getByLabel('Password', { exact: true }).fill(scene.password)
  await press(page, button)
  await page.getByRole('list', { name: 'Backup codes' }).waitFor()
}
const withoutNetwork = (link: string) => async (page: Page) => {
  await scriptsAtWork(page)
  await page.context().setOffline(true)
  await page.getByRole('link', { name: link, exact: true }).click()
  await page.getByRole('alert').waitFor()
}
const mailSent = (button: string) => async (page: Page) => {
  await page.getByLabel('Email address').fill('grace@meridian.example')
  await press(page, button)
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()
}
const asked = (details?: Parameters<typeof askToConfirm>[1]) => async (page: Page) => {
  await page.goto((await askToConfirm(page, details)).path)
}
// Above every rule of the service of these tests.
const largeWithdrawal = { ...withdrawal, amount: '90000.00' }

/** Every page, and how to come to it: what is said of all pages is tested over this table, and photographed from it. */
export const pages: readonly PageRow[] = [
  { name: 'landing', path: '/', as: 'visitor' },
  { name: 'login', path: '/login', as: 'visitor' },
  { name: 'login-refused', path: '/login', as: 'visitor', reach: refused('Sign in') },
  { name: 'login-offline', path: '/login', as: 'visitor', reach: withoutNetwork('Create an account') },
  {
    name: 'login-last-used',
    path: '/login',
    as: 'visitor',
    reach: async (page, { url }) => {
      await page.context().addCookies([{ name: 'floorpass_sign_in_method', value: 'password', url }])
      await page.reload()
    },
  },
  { name: 'login-french', path: '/login', as: 'visitor', locale: 'fr' },
  { name: 'login-provider-refused', photo: false, path: '/login?error=provider_unavailable', as: 'visitor' },
  { name: 'login-code-ended', photo: false, path: '/login?ended=code', as: 'visitor' },
  { name: 'signup', path: '/signup', as: 'visitor' },
  { name: 'signup-french', photo: false, path: '/signup', as: 'visitor', locale: 'fr' },
  { name: 'signup-refused', photo: false, path: '/signup', as: 'visitor', reach: refused('Create account') },
  { name: 'signup-passkey', path: '/signup?with=passkey', as: 'visitor' },
  {
    name: 'signup-passkey-refused',
    photo: false,
    path: '/signup?with=passkey',
    as: 'visitor',
    reach: refused('Email me the link'),
  },
  { name: 'create-passkey', path: ({ links }) => links.createPasskey, as: 'visitor', token: true },
  { name: 'create-passkey-dead', photo: false, path: '/create-passkey?token=any', as: 'visitor', token: true },
  { name: 'forgot-password', path: '/forgot-password', as: 'visitor' },
  { name: 'check-your-mail', path: '/forgot-password', as: 'visitor', reach: mailSent('Send link') },
  { name: 'reset-password', path: ({ links }) => links.reset, as: 'visitor', token: true },
  { name: 'reset-password-dead', path: '/reset-password?token=any', as: 'visitor', token: true },
  { name: 'verify-email', path: ({ links }) => links.verify, as: 'visitor', token: true },
  {
    name: 'verify-email-dead',
    photo: false,
    path: '/verify-email?token=any',
    as: 'visitor',
    token: true,
    reach: refused('Confirm email'),
  },
  { name: 'undo-email-change', path: ({ links }) => links.undo, as: 'visitor', token: true },
  { name: 'undo-email-change-dead', photo: false, path: '/undo-email-change?token=any', as: 'visitor', token: true },
  { name: 'panic', path: ({ links }) => links.panic, as: 'visitor', token: true },
  { name: 'panic-used', path: ({ links }) => links.panicUsed, as: 'visitor', token: true },
  { name: 'panic-dead', photo: false, path: '/panic?token=any', as: 'visitor', token: true },
  { name: 'two-factor', path: '/two-factor', as: 'challenged' },
  { name: 'two-factor-backup', photo: false, path: '/two-factor?with=backup-code', as: 'challenged' },
  { name: 'two-factor-passkey', path: '/two-factor', as: 'keyholder-challenged' },
  {
    name: 'accept-invitation-visitor',
    photo: false,
    path: ({ invitation }) => `/accept-invitation?token=${invitation}`,
    as: 'visitor',
    token: true,
  },
  { name: 'accept-invitation', path: ({ invitation }) => `/accept-invitation?token=${invitation}`, as: 'member', token: true },
  {
    name: 'accept-invitation-decline',
    photo: false,
    path: ({ invitation }) => `/accept-invitation?token=${invitation}`,
    as: 'member',
    token: true,
    reach: (page) => press(page, 'Decline'),
  },
  { name: 'accept-invitation-unknown', photo: false, path: '/accept-invitation?token=any', as: 'member', token: true },
  { name: 'landing-member', photo: false, path: '/', as: 'member' },
  { name: 'dashboard', path: '/dashboard', as: 'member' },
  { name: 'dashboard-french', photo: false, path: '/dashboard', as: 'french' },
  { name: 'dashboard-guarded', photo: false, path: '/dashboard', as: 'guarded' },
  { name: 'settings', path: '/settings', as: 'member' },
  { name: 'settings-french', photo: false, path: '/settings', as: 'french' },
  { name: 'account-menu', path: '/settings/profile', as: 'member', reach: (page) => press(page, /^Account menu of/) },
  { name: 'settings-profile', path: '/settings/profile', as: 'member' },
  {
    name: 'settings-profile-picture',
    path: '/settings/profile',
    as: 'member',
    reach: async (page) => {
      await page.getByLabel('Choose a picture').setInputFiles('apps/web/public/apple-touch-icon.png')
      await page.getByRole('slider', { name: 'Zoom' }).waitFor()
    },
  },
  {
    name: 'settings-profile-picture-refused',
    photo: false,
    path: '/settings/profile',
    as: 'member',
    reach: refused('Save picture'),
  },
  { name: 'settings-email', path: '/settings/email', as: 'member' },
  { name: 'settings-email-refused', photo: false, path: '/settings/email', as: 'member', reach: refused('Send link') },
  { name: 'settings-password', path: '/settings/password', as: 'member' },
  { name: 'settings-security', path: '/settings/security', as: 'member' },
  { name: 'settings-security-set-up', path: '/settings/security', as: 'member', reach: withPassword(setUp) },
  {
    name: 'settings-security-set-up-refused',
    photo: false,
    path: '/settings/security',
    as: 'member',
    reach: async (page, scene) => {
      await withPassword(setUp)(page, scene)
      await page.getByLabel('Code from your authenticator app').fill('000000')
      await refused('Turn on')(page)
    },
  },
  { name: 'settings-security-french', photo: false, path: '/settings/security', as: 'french' },
  { name: 'settings-security-on', path: '/settings/security', as: 'guarded' },
  { name: 'settings-security-off', path: '/settings/security/off', as: 'guarded' },
  { name: 'settings-backup-codes', path: '/settings/security/codes', as: 'guarded' },
  {
    name: 'settings-backup-codes-made',
    photo: false,
    path: '/settings/security/codes',
    as: 'guarded',
    reach: withPassword('Create new codes'),
  },
  { name: 'settings-security-passkey', path: '/settings/security', as: 'keyholder' },
  { name: 'settings-passkeys', path: '/settings/passkeys', as: 'keyholder' },
  {
    name: 'settings-passkeys-changing',
    photo: false,
    path: '/settings/passkeys',
    as: 'keyholder',
    reach: (page) => page.getByText('Change').first().click(),
  },
  { name: 'settings-passkeys-none', photo: false, path: '/settings/passkeys', as: 'member' },
  { name: 'settings-passkeys-french', photo: false, path: '/settings/passkeys', as: 'french' },
  { name: 'settings-passkeys-gate', photo: false, path: '/settings/passkeys', as: 'returning' },
  { name: 'settings-allow-list', path: '/settings/allow-list', as: 'member' },
  {
    name: 'settings-allow-list-remove',
    photo: false,
    path: '/settings/allow-list',
    as: 'member',
    reach: (page) => page.getByRole('button', { name: 'Remove Cold wallet' }).click(),
  },
  {
    name: 'settings-allow-list-refused',
    photo: false,
    path: '/settings/allow-list',
    as: 'member',
    reach: refused('Add address'),
  },
  { name: 'settings-allow-list-ending', photo: false, path: '/settings/allow-list', as: 'guarded' },
  { name: 'settings-allow-list-passkey', photo: false, path: '/settings/allow-list', as: 'keyholder' },
  { name: 'settings-allow-list-french', photo: false, path: '/settings/allow-list', as: 'french' },
  { name: 'settings-allow-list-gate', photo: false, path: '/settings/allow-list', as: 'returning' },
  { name: 'settings-protection', path: '/settings/protection', as: 'keyholder' },
  { name: 'settings-protection-none', photo: false, path: '/settings/protection', as: 'member' },
  { name: 'settings-protection-stopped', path: '/settings/protection', as: 'stopped' },
  { name: 'settings-protection-french', photo: false, path: '/settings/protection', as: 'french' },
  { name: 'settings-protection-gate', photo: false, path: '/settings/protection', as: 'returning' },
  { name: 'dashboard-stopped', photo: false, path: '/dashboard', as: 'stopped' },
  { name: 'confirm', path: '/confirm?id=any', as: 'keyholder', reach: asked() },
  { name: 'confirm-held', photo: false, path: '/confirm?id=any', as: 'keyholder', reach: asked(largeWithdrawal) },
  { name: 'confirm-locked', photo: false, path: '/confirm?id=any', as: 'stopped', reach: asked() },
  { name: 'confirm-french', photo: false, path: '/confirm?id=any', as: 'french', reach: asked([withdrawal, { type: 'view' }]) },
  { name: 'confirm-unknown', photo: false, path: '/confirm?id=any', as: 'member' },
  {
    name: 'confirm-rejected',
    photo: false,
    path: '/confirm?id=any',
    as: 'member',
    reach: async (page) => {
      await asked()(page)
      await press(page, 'Reject')
      await page.getByRole('heading', { name: 'Rejected' }).waitFor()
    },
  },
  { name: 'settings-api-keys', path: '/settings/api-keys', as: 'member' },
  {
    name: 'settings-api-keys-delete',
    photo: false,
    path: '/settings/api-keys',
    as: 'member',
    reach: (page) => page.getByRole('button', { name: 'Delete Market maker' }).click(),
  },
  { name: 'settings-api-keys-none', photo: false, path: '/settings/api-keys', as: 'keyholder' },
  { name: 'settings-api-keys-french', photo: false, path: '/settings/api-keys', as: 'french' },
  { name: 'settings-api-key-new', path: '/settings/api-keys/new', as: 'member' },
  {
    name: 'settings-api-key-new-refused',
    photo: false,
    path: '/settings/api-keys/new',
    as: 'member',
    reach: async (page) => {
      await page.getByLabel('With its own private key').check()
      await refused('Create key')(page)
    },
  },
  {
    name: 'settings-api-key-new-withdraw',
    photo: false,
    path: '/settings/api-keys/new',
    as: 'keyholder',
    reach: (page) => page.getByLabel('Withdraw').check(),
  },
  { name: 'settings-api-key-new-french', photo: false, path: '/settings/api-keys/new', as: 'french' },
  { name: 'settings-api-key-new-gate', photo: false, path: '/settings/api-keys/new', as: 'returning' },
  {
    name: 'settings-api-key-made',
    path: '/settings/api-keys/new',
    as: 'guarded',
    reach: async (page) => {
      await page.getByLabel('Name').fill('Market maker')
      await press(page, 'Create key')
      await page.getByRole('heading', { name: 'API key created' }).waitFor()
    },
  },
  { name: 'reauthenticate-passkey', photo: false, path: '/reauthenticate?acr=aal2&max_age=900', as: 'keyholder', token: true },
  { name: 'settings-accounts', path: '/settings/accounts', as: 'member' },
  { name: 'settings-sessions', path: '/settings/sessions', as: 'member' },
  { name: 'settings-activity', path: '/settings/activity', as: 'member' },
  { name: 'settings-activity-french', photo: false, path: '/settings/activity', as: 'french' },
  { name: 'settings-not-me', path: '/settings/activity/not-me', as: 'member' },
  { name: 'settings-trading', path: '/settings/trading', as: 'member' },
  { name: 'settings-organizations', path: '/settings/organizations', as: 'member' },
  {
    name: 'settings-organizations-refused',
    photo: false,
    path: '/settings/organizations',
    as: 'member',
    reach: refused('Create organization'),
  },
  { name: 'settings-organizations-none', path: '/settings/organizations', as: 'guarded' },
  { name: 'settings-organization', path: ({ slug }) => `/settings/organizations/${slug}`, as: 'member' },
  {
    name: 'settings-organization-as-member',
    photo: false,
    path: ({ slug }) => `/settings/organizations/${slug}`,
    as: 'keyholder',
  },
  { name: 'settings-organization-french', photo: false, path: ({ slug }) => `/settings/organizations/${slug}`, as: 'french' },
  { name: 'settings-organization-members', path: ({ slug }) => `/settings/organizations/${slug}/members`, as: 'member' },
  {
    name: 'settings-organization-members-found',
    photo: false,
    path: ({ slug }) => `/settings/organizations/${slug}/members?search=nothing&role=admin`,
    as: 'member',
  },
  {
    name: 'settings-organization-remove',
    path: ({ slug }) => `/settings/organizations/${slug}/members`,
    as: 'member',
    reach: (page) => page.getByRole('button', { name: 'Remove Grace Hopper' }).click(),
  },
  { name: 'settings-organization-invitations', path: ({ slug }) => `/settings/organizations/${slug}/invitations`, as: 'member' },
  { name: 'settings-organization-api-keys', path: ({ slug }) => `/settings/organizations/${slug}/api-keys`, as: 'member' },
  {
    name: 'settings-organization-api-key-new',
    photo: false,
    path: ({ slug }) => `/settings/organizations/${slug}/api-keys/new`,
    as: 'member',
  },
  { name: 'settings-organization-settings', path: ({ slug }) => `/settings/organizations/${slug}/settings`, as: 'member' },
  { name: 'settings-organization-activity', path: ({ slug }) => `/settings/organizations/${slug}/activity`, as: 'member' },
  ...['members', 'invitations', 'api-keys', 'settings', 'activity'].map(
    (part): PageRow => ({
      name: `settings-organization-${part}-french`,
      photo: false,
      path: ({ slug }) => `/settings/organizations/${slug}/${part}`,
      as: 'french',
    }),
  ),
  {
    name: 'settings-organization-leave',
    photo: false,
    path: ({ slug }) => `/settings/organizations/${slug}/settings?confirm=leave`,
    as: 'member',
  },
  {
    name: 'settings-sessions-everywhere',
    photo: false,
    path: '/settings/sessions',
    as: 'member',
    reach: (page) => page.getByRole('button', { name: 'Sign out everywhere, including here' }).click(),
  },
  { name: 'settings-sessions-everywhere-french', photo: false, path: '/settings/sessions?confirm=all', as: 'french' },
  { name: 'settings-danger', path: '/settings/danger', as: 'member' },
  { name: 'delete-account', path: '/delete-account?token=any', as: 'member', token: true },
  { name: 'reauthenticate', path: '/reauthenticate?redirectTo=%2Fsettings%2Femail', as: 'returning', token: true },
  {
    name: 'reauthenticate-refused',
    photo: false,
    path: '/reauthenticate',
    as: 'returning',
    token: true,
    reach: refused('Confirm with password'),
  },
  {
    name: 'reauthenticate-provider-refused',
    photo: false,
    path: '/reauthenticate?error=provider_sign_in_too_old',
    as: 'returning',
    token: true,
  },
  { name: 'reauthenticate-mailed', path: '/reauthenticate?token=any', as: 'returning', token: true },
  {
    name: 'reauthenticate-mailed-dead',
    photo: false,
    path: '/reauthenticate?token=any',
    as: 'returning',
    token: true,
    reach: refused('Confirm it’s me'),
  },
  { name: 'settings-email-gate', path: '/settings/email', as: 'returning' },
  { name: 'settings-accounts-gate', photo: false, path: '/settings/accounts', as: 'returning' },
  { name: 'settings-trading-gate', path: '/settings/trading', as: 'returning' },
  { name: 'settings-danger-gate', photo: false, path: '/settings/danger', as: 'returning' },
  { name: 'delete-account-gate', photo: false, path: '/delete-account?token=any', as: 'returning', token: true },
  { name: 'not-found', path: '/nowhere', as: 'visitor', status: 404 },
  { name: 'not-found-french', photo: false, path: '/nowhere', as: 'visitor', status: 404, locale: 'fr' },
  { name: 'settings-not-found', photo: false, path: '/settings/nowhere', as: 'member', status: 404 },
]

export const pathOf = ({ path }: PageRow, scene: Scene): string => (typeof path === 'string' ? path : path(scene))

/** Opens the page in its state. The context has the cookies of the row's visitor. */
export async function openPage(page: Page, row: PageRow, scene: Scene) {
  await page.context().setOffline(false)
  await page.context().addCookies([{ name: 'floorpass_locale', value: row.locale ?? 'en', url: scene.url }])
  const answer = await page.goto(pathOf(row, scene))
  await row.reach?.(page, scene)
  return answer
}
