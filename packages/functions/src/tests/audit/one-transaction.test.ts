import { setImmediate as immediate } from 'node:timers/promises'
import { administratorPermissions } from '@floorpass/api/administration'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { declaredRoutes } from '@floorpass/testing/declarations'
import { routeSamples, type SignedIn, serviceKey } from '@floorpass/testing/route-samples'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp({ SERVICE_KEYS: serviceKey })
const samples = routeSamples(app)

/** Every row, without the counts of failed passwords, which survive a rollback (T16). */
const snapshot = async () =>
  JSON.stringify((await app.readAllRows()).map(({ known_guesses, unknown_guesses, ...row }) => JSON.stringify(row)).sort())
const eventsOf = async (userId: string) => app.db.auditEvent.findMany({ where: { userId }, orderBy: { id: 'asc' } })

/** Makes every transaction that inserts into this table fail at commit. */
async function failCommitsWith(table: 'audit_events' | 'queued_mails') {
  await app.db.$executeRawUnsafe(
    `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused at commit'; END $$`,
  )
  await app.db.$executeRawUnsafe(
    `CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON ${table} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`,
  )
  const heal = () => app.db.$executeRawUnsafe(`DROP TRIGGER IF EXISTS refuse ON ${table}`)
  onTestFinished(async () => void (await heal()))
  return heal
}

type Change = {
  path: string
  action: string
  /** Further effects on the account, each with its own event. */
  effects?: string[]
  mails: boolean
  /** Set when another party acts. */
  actorId?: string
  input?: (tab: SignedIn) => Promise<Record<string, unknown>>
}

const others = async (tab: SignedIn) => {
  await app.browser().post('/auth/sign-in/email', { email: tab.person.email, password: tab.person.password })
  return {}
}
const changes: Change[] = [
  { path: '/sign-up/email', action: 'sign-up', mails: true },
  { path: '/sign-up/passkey', action: 'sign-up', mails: true },
  { path: '/sign-in/email', action: 'sign-in', mails: false },
  { path: '/sign-out', action: 'sign-out', mails: false },
  { path: '/reauthenticate', action: 'reauthenticate', mails: false },
  { path: '/revoke-session', action: 'revoke-session', mails: false },
  { path: '/revoke-sessions', action: 'revoke-session', mails: false },
  { path: '/revoke-other-sessions', action: 'revoke-session', mails: false, input: others },
  { path: '/forget-password', action: 'request-password-reset', mails: true },
  { path: '/reset-password', action: 'reset-password', mails: true },
  { path: '/change-password', action: 'change-password', mails: true },
  { path: '/set-password', action: 'set-password', mails: true },
  { path: '/verify-email', action: 'verify-email', mails: false },
  { path: '/change-email', action: 'request-email-change', mails: true },
  {
    path: '/verify-email',
    action: 'change-email',
    mails: true,
    input: async (tab) => {
      const { email: newEmail } = app.person()
      await tab.post('/auth/change-email', { newEmail })
      await app.drainMail()
      return { token: app.outbox.lastTo(newEmail).token }
    },
  },
  { path: '/unlink-account', action: 'unlink-account', mails: true },
  { path: '/undo-email-change', action: 'undo-email-change', effects: ['clear-password', 'revoke-session'], mails: true },
  { path: '/update-user', action: 'update-user', mails: false },
  { path: '/set-picture', action: 'update-user', mails: false },
  {
    path: '/remove-picture',
    action: 'update-user',
    mails: false,
    input: async (tab) => {
      await tab.post('/auth/set-picture', await samples['POST /set-picture']?.(tab))
      return {}
    },
  },
  { path: '/name-session', action: 'name-session', mails: false },
  { path: '/two-factor/enable', action: 'prepare-two-factor', mails: false },
  { path: '/two-factor/verify', action: 'enable-two-factor', mails: true },
  {
    path: '/sign-in/email',
    action: 'two-factor-challenge',
    mails: false,
    input: async (tab) => {
      await switchOnTwoFactor(tab, tab.person.password)
      return { email: tab.person.email, password: tab.person.password }
    },
  },
  {
    path: '/two-factor/verify',
    action: 'sign-in',
    mails: false,
    input: async (tab) => {
      const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
      await tab.post('/auth/sign-in/email', { email: tab.person.email, password: tab.person.password })
      return { code: authenticator.code(1), trustDevice: true }
    },
  },
  {
    path: '/two-factor/verify-backup-code',
    action: 'sign-in',
    mails: true,
    input: async (tab) => {
      const { backupCodes } = await switchOnTwoFactor(tab, tab.person.password)
      await tab.post('/auth/sign-in/email', { email: tab.person.email, password: tab.person.password })
      return { code: backupCodes[0] }
    },
  },
  { path: '/admin/ban-user', action: 'suspend-user', mails: true },
  { path: '/admin/unban-user', action: 'restore-user', mails: true },
  { path: '/admin/create-user', action: 'create-user', mails: true },
  { path: '/admin/update-user', action: 'update-user', mails: true },
  { path: '/admin/set-role', action: 'grant-role', mails: true },
  { path: '/admin/set-user-password', action: 'set-password', mails: true },
  { path: '/admin/disable-two-factor', action: 'disable-two-factor', mails: true },
  { path: '/admin/remove-user', action: 'remove-user', mails: true },
  { path: '/admin/reject-approval', action: 'reject-approval', mails: false },
  { path: '/admin/impersonate-user', action: 'impersonate-user', mails: true },
  { path: '/admin/stop-impersonating', action: 'stop-impersonating', mails: false },
  { path: '/admin/revoke-user-session', action: 'revoke-session', mails: false },
  { path: '/admin/revoke-user-sessions', action: 'revoke-session', mails: false },
  { path: '/admin/suspend-organization', action: 'suspend-organization', mails: true },
  { path: '/admin/restore-organization', action: 'restore-organization', mails: true },
  {
    path: '/admin/change-organization-owner',
    action: 'change-organization-owner',
    effects: ['change-organization-owner'],
    mails: true,
  },
  { path: '/admin/retry-refused-mail', action: 'retry-mail', mails: false },
  { path: '/admin/drop-refused-mail', action: 'drop-mail', mails: false },
  { path: '/admin/revoke-user-api-key', action: 'delete-api-key', mails: true },
  { path: '/two-factor/disable', action: 'disable-two-factor', mails: true },
  { path: '/two-factor/generate-backup-codes', action: 'replace-backup-codes', mails: true },
  { path: '/two-factor/revoke-trusted-device', action: 'revoke-trusted-device', mails: false },
  { path: '/passkey/verify-registration', action: 'add-passkey', mails: true },
  { path: '/passkey/verify-authentication', action: 'sign-in', mails: false },
  { path: '/passkey/update-passkey', action: 'rename-passkey', mails: false },
  { path: '/passkey/delete-passkey', action: 'remove-passkey', mails: true },
  { path: '/delete-user', action: 'request-account-deletion', mails: true, input: async () => ({}) },
  { path: '/api-key/create', action: 'create-api-key', mails: true },
  { path: '/api-key/update', action: 'update-api-key', mails: true },
  { path: '/api-key/delete', action: 'delete-api-key', mails: false },
  { path: '/protection/lock', action: 'lock-account', mails: true },
  { path: '/protection/request-unlock', action: 'request-unlock', mails: true },
  { path: '/protection/cancel-unlock', action: 'cancel-unlock', mails: true },
  { path: '/protection/unlock-with-key', action: 'unlock-account', mails: true },
  { path: '/protection/lift-hold', action: 'lift-hold', mails: true },
  { path: '/protection/set-phrase', action: 'set-phrase', mails: true },
  { path: '/protection/undo-panic', action: 'undo-panic', mails: true },
  { path: '/panic', action: 'panic', effects: ['clear-password'], mails: true },
  { path: '/allow-list/add', action: 'add-allow-list-entry', mails: true },
  { path: '/allow-list/remove', action: 'remove-allow-list-entry', mails: true },
  { path: '/allow-list/set-enabled', action: 'enable-allow-list', mails: true },
  { path: '/api-key/report', action: 'report-api-key', mails: true, actorId: 'report' },
  { path: '/confirmation/approve', action: 'approve-confirmation', mails: false },
  { path: '/confirmation/reject', action: 'reject-confirmation', mails: false },
  { path: '/confirmation/consume', action: 'consume-confirmation', mails: false, actorId: 'service:SERVICE_KEYS' },
  { path: '/organization/create', action: 'create-organization', mails: false },
  { path: '/organization/update', action: 'update-organization', mails: false },
  { path: '/organization/delete', action: 'delete-organization', mails: false },
  { path: '/organization/member/add', action: 'add-member', mails: true },
  { path: '/organization/member/remove', action: 'remove-member', mails: true },
  { path: '/organization/member/update-role', action: 'update-member-role', mails: true },
  { path: '/organization/accept-membership', action: 'accept-membership', mails: false },
  { path: '/organization/leave', action: 'leave-organization', mails: false },
  { path: '/organization/invite-member', action: 'invite-member', mails: true },
  { path: '/organization/accept-invitation', action: 'accept-invitation', mails: false },
  { path: '/organization/reject-invitation', action: 'reject-invitation', mails: false },
  { path: '/organization/cancel-invitation', action: 'cancel-invitation', mails: false },
]
const recordedElsewhere = [
  // Needs an account at a provider: tests/profile/provider-pictures.test.ts.
  '/take-provider-picture: update-user',
  // A first use of the organization: tests/organizations/member.test.ts.
  '/organization/set-active: accept-membership',
  // The same procedure as /two-factor/verify.
  '/two-factor/verify-totp: sign-in',
  // A wrong password: tests/sign-in/password-guesses.test.ts.
  '/two-factor/get-totp-uri: pause-password',
]

/** Actions whose event belongs to another user than the caller. */
const toAnother = ['add-member', 'remove-member', 'update-member-role']

describe('the declarations of the mutations', () => {
  test('name a main event that the table below proves, for each route that records one', () => {
    const untested = declaredRoutes.flatMap(({ path, aliases, declared: { events } }) => {
      const rows = changes.filter((change) => change.path === path || aliases.includes(change.path))
      return events.length === 0 || rows.some(({ action }) => action === events[0]) ? [] : [`${path}: ${events[0]}`]
    })
    expect(untested).toEqual(recordedElsewhere)
  })

  test('name a mail for each route that the table below expects to mail', () => {
    const silent = declaredRoutes.filter(({ declared: { mails } }) => mails.length === 0).map(({ path }) => path)
    expect(changes.filter(({ path, mails }) => mails && silent.includes(path))).toEqual([])
  })

  test('agree with the route table on who may call', () => {
    const differing = declaredRoutes.filter(
      ({ access, declared }) =>
        (access === 'session') !== ['session', 'reauthenticated'].includes(declared.access) ||
        (access === 'administrator') !== administratorPermissions.some((permission) => permission === declared.access),
    )
    expect(differing.map(({ path }) => path)).toEqual([])
  })
})

describe.each(changes)('T183: $action by $path', ({ path, action, effects = [], mails, actorId = null, input }) => {
  const prepared = async () => {
    const tab = await app.signedIn()
    const fields = (await (input ?? samples[`POST ${path}`])?.(tab)) ?? {}
    await app.drainMail()
    return { tab, fields }
  }
  const isService = declaredRoutes.some((route) => route.path === path && route.access === 'service')
  const credentials = isService ? { authorization: `Bearer ${serviceKey}` } : {}
  const act = ({ tab, fields }: Awaited<ReturnType<typeof prepared>>) =>
    tab.post(`/auth${path}`, fields, { headers: { 'user-agent': 'Firefox/140', ...credentials }, ip: '192.0.2.55' })

  test('writes exactly one event for the action and one per effect, and wakes the mail queue only for a mail', async () => {
    const ready = await prepared()
    await immediate()
    const known = new Set((await app.db.auditEvent.findMany()).map(({ id }) => id))
    const wake = vi.spyOn(app.service.deps.mail, 'wake')
    onTestFinished(() => wake.mockRestore())
    expect((await act(ready)).status).toBe(200)
    await immediate()
    expect(wake.mock.calls.length > 0).toBe(mails)
    const written = (await app.db.auditEvent.findMany()).filter(({ id }) => !known.has(id))
    expect(written.map((event) => event.action).sort()).toEqual([action, ...effects].sort())
    for (const event of written)
      expect(event).toMatchObject({ succeeded: true, ipAddress: '192.0.2.55', userAgent: 'Firefox/140' })
    if (toAnother.includes(action) || (path.startsWith('/admin/') && action !== 'remove-user')) {
      expect(written[0]?.actorId).toBe(ready.tab.userId)
      expect(written[0]?.userId).not.toBe(ready.tab.userId)
    } else if (!['sign-up', 'verify-email'].includes(action)) {
      expect([written[0]?.userId, written[0]?.actorId]).toEqual([ready.tab.userId, actorId])
    }
    if (path.startsWith('/organization/')) expect(written[0]?.organizationId).toMatch(/^[0-9a-f-]{36}$/)
    // Only the name of the method may contain `password`.
    const details = JSON.stringify(written.map((event) => event.details)).replace('"method":"password"', '')
    expect(details).not.toMatch(/@|\$|password/)
  })

  test('changes nothing when the event cannot be written', async () => {
    const ready = await prepared()
    const before = await snapshot()
    const heal = await failCommitsWith('audit_events')
    const answer = await act(ready)
    expect([answer.status, answer.code, answer.setCookies]).toEqual([500, 'INTERNAL_SERVER_ERROR', []])
    expect(JSON.stringify(answer.body)).not.toContain('refused')
    expect(await snapshot()).toBe(before)
    await heal()
    expect((await act(ready)).status).toBe(200)
  })

  if (mails)
    test('changes nothing when its mail cannot be queued', async () => {
      const ready = await prepared()
      const before = await snapshot()
      await failCommitsWith('queued_mails')
      expect((await act(ready)).code).toBe('INTERNAL_SERVER_ERROR')
      expect(await snapshot()).toBe(before)
    })
})

describe('the audit log', () => {
  test('T183: records a failed sign-in of a known email, and nothing for an unknown one', async () => {
    const tab = await app.signedIn()
    const before = await app.db.auditEvent.count()
    await app.browser().post('/auth/sign-in/email', { email: tab.person.email, password: 'something else' })
    await app.browser().post('/auth/sign-in/email', { email: 'unknown@example.test', password: 'something else' })
    expect(await app.db.auditEvent.count()).toBe(before + 1)
    expect((await eventsOf(tab.userId)).at(-1)).toMatchObject({ action: 'sign-in', succeeded: false })
  })

  test('T183: records nothing for reads and refused requests', async () => {
    const tab = await app.signedIn()
    const before = await snapshot()
    await tab.post('/auth/change-password', { currentPassword: 'something else', newPassword: 'violet harbor ladder' })
    await tab.post('/auth/update-user', { role: 'owner' })
    await tab.post('/auth/reset-password', { token: 'nonsense', newPassword: 'violet harbor ladder' })
    await tab.post('/auth/delete-user', { password: 'something else' })
    await tab.post('/auth/revoke-session', { token: 'unknown' })
    await tab.get('/auth/list-sessions')
    await tab.get('/auth/get-session')
    expect(await snapshot()).toBe(before)
  })
})
