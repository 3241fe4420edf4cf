import { randomUUID } from 'node:crypto'
import { policy } from '@floorpass/api'
import { routes } from '@floorpass/functions'
import { adminOf } from '@floorpass/testing/admin-command'
import { wallet } from '@floorpass/testing/allow-list'
import { setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { createTestApp, type TestApp } from '@floorpass/testing/create-test-app'
import { found } from '@floorpass/testing/organization'
import { addPasskey } from '@floorpass/testing/passkeys'
import { refuseMail } from '@floorpass/testing/refused-mails'
import { addressOf, everyProvider, lockUser, routeSamples, type SignedIn, serviceKey } from '@floorpass/testing/route-samples'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { describe, expect, test } from 'vitest'

const settings = { ...everyProvider, SERVICE_KEYS: serviceKey }
/** The same calls run without other users' rows and beside them. A count, a list or a write that crosses to another owner differs. */
const [alone, crowded] = await Promise.all([createTestApp(settings), createTestApp(settings)])
const others = await Promise.all([addOther({ confirmed: true }), addOther({ confirmed: false })])
for (const [index, { userId }] of others.entries()) {
  const data = { userId, action: 'restore-user', detail: '', reason: 'called back', requestedBy: others[1 - index]?.userId ?? '' }
  await crowded.db.approval.create({ data: { ...data, expiresAt: new Date(Date.now() + 1e9) } })
}
await crowded.db.outboxEvent.deleteMany()
const ids = others.flatMap(({ traces }) => traces)

/** A user with several rows in every table that has an owner. */
async function addOther({ confirmed }: { confirmed: boolean }) {
  const app = crowded
  const { userId, person } = await app.signedIn()
  const expiresAt = new Date(Date.now() + 1e9)
  const old = new Date(0)
  // The newest membership without acceptance is the first to end when a user joins another organization.
  const newestUnaccepted = { acceptedAt: null, createdAt: expiresAt }
  const name = (thing: string) => `${thing}-of-${userId}`
  const organization = await app.db.organization.create({
    data: {
      name: 'Desk',
      slug: name('desk'),
      members: { create: { userId, role: 'owner', slot: 1, ...(!confirmed && newestUnaccepted) } },
      invitations: {
        create: [1, 2].map((n) => ({
          email: `${n}-${person.email}`,
          role: 'member',
          secretHash: name(`i${n}`),
          inviterId: userId,
          expiresAt,
        })),
      },
    },
  })
  const devices = await Promise.all(
    [1, 2].map((n) => app.db.trustedDevice.create({ data: { userId, secretHash: name(`device${n}`), expiresAt } })),
  )
  const inApp = {
    userId,
    activeOrganizationId: organization.id,
    trustedDeviceId: devices[0]?.id ?? null,
    expiresAt,
    lastSeenAt: old,
  }
  for (const n of [1, 2, 3])
    await app.db.session.create({ data: { ...inApp, id: name(`session${n}`), secondFactorAt: confirmed ? new Date() : null } })
  await app.db.account.createMany({
    data: ['google', 'github'].map((providerId) => ({
      userId,
      providerId,
      accountId: userId,
      pictureUrl: `${everyProvider.PICTURE_ORIGINS}/a`,
    })),
  })
  await app.db.account.updateMany({
    where: { userId, providerId: 'credential' },
    data: { knownGuesses: 3, unknownGuesses: 3, createdAt: old, ...(!confirmed && { passwordHash: null }) },
  })
  const bytes = new Uint8Array(1)
  const model = { publicKey: bytes, isSyncable: false, backedUp: false, aaguid: '' }
  // Two others reach the limits of a user together: 20 passkeys, 20 trusted devices, 50 API keys and 100 addresses.
  await app.db.passkey.createMany({
    data: Array.from({ length: policy.passkeys.perUser / 2 }, (_, n) => ({
      ...model,
      userId,
      name: 'Key',
      credentialId: name(`key${n}`),
      createdAt: n === 0 ? old : new Date(),
    })),
  })
  await app.db.trustedDevice.createMany({
    data: Array.from({ length: policy.twoFactor.trustedDevicesPerUser / 2 }, (_, n) => ({
      userId,
      secretHash: name(`more-devices${n}`),
      createdAt: old,
      expiresAt,
    })),
  })
  await app.db.apiKey.createMany({
    data: Array.from({ length: policy.apiKeys.perUser / 2 + 1 }, (_, n) => ({
      id: name(`api-key${n}`),
      userId,
      organizationId: n === 0 ? organization.id : null,
      name: 'Bot',
      secretHash: name(`secret${n}`),
      scopes: ['order:read'],
      createdAt: old,
    })),
  })
  await app.db.allowListEntry.createMany({
    data: Array.from({ length: policy.allowList.perUser / 2 + 1 }, (_, n) => ({
      userId,
      kind: 'bitcoin',
      value: name(`wallet${n}`),
      createdAt: old,
      usableFrom: old,
    })),
  })
  await app.db.allowListEntry.create({ data: { ...wallet, userId, createdAt: old, usableFrom: old } })
  await app.db.allowList.create({ data: { userId, enabledAt: old, endsAt: confirmed ? null : expiresAt } })
  // Two others reach the limit of 20 together.
  await app.db.confirmation.createMany({
    data: Array.from({ length: policy.confirmations.perUser / 2 }, (_, n) => ({
      id: name(`confirmation${n}`),
      userId,
      sessionHandle: name('handle'),
      type: 'withdrawal',
      canonical: JSON.stringify({ authorization_details: [{ type: 'withdrawal' }], sub: userId }),
      audience: app.baseUrl,
      createdAt: old,
      expiresAt,
    })),
  })
  await app.db.passkeyHandle.create({ data: { userId, handle: name('handle') } })
  await app.db.twoFactor.create({
    data: {
      userId,
      secretSealed: name('factor'),
      confirmedAt: confirmed ? new Date() : null,
      failedAttempts: 2,
      lockedUntil: new Date(),
      createdAt: new Date(0),
    },
  })
  for (const n of [1, 2, 3]) await app.db.backupCode.create({ data: { userId, codeHash: name(`code${n}`) } })
  const purposes = ['verify-email', 'reset-password', 'change-email', 'undo-email-change', 'delete-account', 'reauthenticate']
  const signIns = ['social-sign-in', 'two-factor', 'create-passkey', 'passkey-registration', 'passkey-authentication']
  for (const purpose of [...purposes, ...signIns])
    await app.db.verification.create({ data: { userId, purpose, email: person.email, secretHash: name(purpose), expiresAt } })
  for (const action of [
    'enable-two-factor',
    'sign-in',
    'change-password',
    'replace-backup-codes',
    'export-data',
    'restore-two-factor',
    'update-organization',
  ])
    await app.db.auditEvent.create({ data: { userId, action, organizationId: organization.id, details: { method: 'passkey' } } })
  await app.db.hold.create({ data: { userId, reason: 'change-password', startedAt: old, endsAt: expiresAt } })
  const mailId = await refuseMail(app, person.email)
  await app.db.queuedMail.update({ where: { id: mailId }, data: { lastError: `550 ${person.email} is unknown` } })
  await app.db.service.create({
    data: {
      name: `desk-${randomUUID().slice(0, 8)}`,
      scopes: ['key:verify'],
      createdBy: userId,
      secrets: { create: [1, 2].map((n) => ({ secretHash: name(`service${n}`), expiresAt: n === 1 ? null : expiresAt })) },
    },
  })
  const delivery = { type: 'session.ended', orderKey: userId, createdAt: old }
  await app.db.webhook.create({
    data: {
      url: `https://hooks.example.test/${userId}`,
      contact: person.email,
      keysSealed: name('keys'),
      createdBy: userId,
      ...(confirmed && { pausedAt: old, pauseReason: 'operator', pausedAfter: 0n }),
      // No event has this type: the webhook gets none of what the callers do.
      types: ['none'],
      deliveries: {
        create: [null, expiresAt].map((nextAttemptAt, n) => ({
          ...delivery,
          nextAttemptAt,
          status: nextAttemptAt ? 'waiting' : 'failed',
          position: n,
          eventId: name(`event${n}`),
        })),
      },
    },
  })
  await app.db.user.update({
    where: { id: userId },
    data: {
      twoFactorEnabled: confirmed,
      emailVerified: confirmed,
      unlinkedProviders: ['github'],
      suspendedAt: confirmed ? null : new Date(),
      image: 'https://pictures.test/b',
    },
  })
  return { userId, person, traces: [userId, person.email, organization.id] }
}

const traceIn = (text: string) => ids.find((id) => text.includes(id))
const traceOf = (row: unknown) => traceIn(JSON.stringify(row))
const sort = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort()
let othersRead: string[] | null = null
const readOthers = async () => {
  othersRead = sort(await crowded.readAllRows()).filter(traceIn)
  return othersRead
}
/** What the last look saw: each one reads every row. */
const readOthersBefore = async () => othersRead ?? readOthers()

/** Rows of earlier callers would hide a condition that is missing: both apps would count them. */
async function removeCallers(app: TestApp) {
  const kept = app === crowded ? others.map(({ userId }) => userId) : []
  await app.db.organization.deleteMany({ where: { members: { none: { userId: { in: kept } } } } })
  await app.db.user.deleteMany({ where: { id: { notIn: kept } } })
  // Events outlive their users.
  await app.db.outboxEvent.deleteMany()
  await app.db.event.deleteMany()
}

/** Hides what differs between two equal calls: ids, secrets, times and counters in names. */
const normalize = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, field) => {
      if (key === 'backupCodes') return field.length
      if (typeof field === 'number' && (['id', 'position'].includes(key) || Math.abs(field) > 1e4)) return '#'
      if (typeof field === 'string' && (/(At|_at|Until|expires|hash|sealed)$/i.test(key) || /^[\w+/=.-]{20,}$/.test(field)))
        return '#'
      return typeof field === 'string' ? field.replace(/[\w-]{20,}|fp_\w+|\d+/g, '#') : field
    }) ?? 'null',
  )

type Case = (app: TestApp, tab: SignedIn) => Promise<unknown>

/** What a call answered, wrote for the caller and mailed. */
async function observe(app: TestApp, run: Case) {
  await removeCallers(app)
  const tab = await app.signedIn()
  const sent = app.outbox.mails.length
  const logged = app.logs.length
  const answer = await run(app, tab)
  // A failed step before the answer would hide what the answer shows.
  expect(app.logs.slice(logged).filter(({ level }) => Number(level) >= 50)).toEqual([])
  expect(JSON.stringify(answer)).not.toContain('"status":500')
  await app.drainMail()
  const rows = (await app.readAllRows()).filter((row) => JSON.stringify(row).includes(tab.userId))
  const mails = app.outbox.mails.slice(sent)
  return {
    answer,
    rows,
    mails,
    seen: {
      answer: normalize(answer),
      rows: sort(rows.map(normalize)),
      mails: sort(mails.map(({ subject, text }) => normalize({ subject, text }))),
    },
  }
}

const show = ({ status, body }: { status: number; body: unknown }) => ({ status, body })
const trpc = async (tab: SignedIn, name: string, input?: unknown) =>
  show(await tab.get(`/trpc/${name}${input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify(input))}`}`))
const mailed = async (app: TestApp, email: string) => {
  await app.drainMail()
  return app.outbox.lastTo(email).token
}
const operator =
  (name: string, ...options: string[]): Case =>
  async (app, tab) => {
    const { code, json } = await adminOf(app)(name, tab.userId, ...options, '--json')
    expect([name, code]).toEqual([name, 0])
    return { code, json }
  }

const samples = new Map([alone, crowded].map((app) => [app, routeSamples(app)]))
const routeCases = routes
  .filter(({ access, refuses }) => access !== 'service' && access !== 'administrator' && refuses === null)
  .map(({ method, path }): [string, Case] => [
    `${method} ${path}`,
    async (app, tab) => {
      const input = (await samples.get(app)?.[`${method} ${path}`]?.(tab)) ?? {}
      if (method === 'POST') return show(await tab.post(addressOf(path), input))
      return show(await tab.get(`${addressOf(path, input)}?${new URLSearchParams(input as Record<string, string>)}`))
    },
  ])

/** Their answers are about every user, so only what they write is compared. */
const routesAboutUsers = routes
  .filter(({ access, method }) => (access === 'administrator' || access === 'service') && method === 'POST')
  .map(({ path, access }) => ({ path, access, createInput: samples.get(crowded)?.[`POST ${path}`] }))
const asService = { headers: { authorization: `Bearer ${serviceKey}` } }

const isOld = { createdAt: new Date(0) }
const owned = ({ userId }: SignedIn) => ({ where: { userId } })
/** Turns two-factor on with a passkey that is older than any trust cutoff, and forgets when it was turned on. */
async function switchOnOldPasskey(app: TestApp, tab: SignedIn) {
  await addPasskey(tab, createSoftwareAuthenticator())
  await tab.post('/auth/two-factor/enable', { method: 'passkey', password: tab.person.password })
  await app.db.passkey.updateMany({ ...owned(tab), data: isOld })
  await app.db.backupCode.updateMany({ ...owned(tab), data: isOld })
  await app.db.auditEvent.deleteMany(owned(tab))
}
/** Undoes an email change that followed. The answer names the effects. */
async function undoEmailChange(app: TestApp, tab: SignedIn) {
  const input = await samples.get(app)?.['POST /undo-email-change']?.(tab)
  return show(await app.browser().post('/auth/undo-email-change', input))
}

/** Procedures of pages, commands of the operator, and acts that need more than one step. */
const otherCases: [string, Case][] = [
  ...['twoFactor.get', 'organizations.listUserInvitations', 'profile.listPictureProviders', 'twoFactor.listTrustedDevices'].map(
    (name): [string, Case] => [name, (_, tab) => trpc(tab, name)],
  ),
  ['passkeys.list', (_, tab) => trpc(tab, 'passkeys.list')],
  ['the activity of one kind', async (_, tab) => show(await tab.get('/auth/list-activity?kind=sign-ins'))],
  ['operator: show', operator('show')],
  [
    'operator: show of two-factor',
    async (app, tab) => {
      await switchOnTwoFactor(tab, tab.person.password)
      return operator('show')(app, tab)
    },
  ],
  ['operator: sessions', operator('sessions')],
  ['operator: revoke-sessions', operator('revoke-sessions', '--yes')],
  ['operator: suspend', operator('suspend', '--reason', 'lost phone, called back', '--yes')],
  ['operator: export', operator('export')],
  ['operator: audit', async (app, tab) => (await adminOf(app)('audit', '--user', tab.userId, '--json')).json],
  [
    'operator: disable-two-factor',
    async (app, tab) => {
      await switchOnTwoFactor(tab, tab.person.password)
      return operator('disable-two-factor', '--reason', 'lost phone, called back', '--yes')(app, tab)
    },
  ],
  [
    'operator: restore after a suspension',
    async (app, tab) => {
      await operator('suspend', '--reason', 'lost phone, called back', '--yes')(app, tab)
      return operator('restore', '--reason', 'found phone, called back', '--yes')(app, tab)
    },
  ],
  [
    'operator: verify the address of an unverified user',
    async (app) => {
      const { email } = await app.signUp()
      return (await adminOf(app)('verify-address', email, '--reason', 'called back by phone', '--yes', '--json')).json
    },
  ],
  [
    'a reset of the password',
    async (app, { person }) => {
      await app.browser().post('/auth/forget-password', { email: person.email })
      const token = await mailed(app, person.email)
      return show(await app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' }))
    },
  ],
  [
    'a change of the password that ends the other sessions',
    async (app, tab) => {
      await app.browser().post('/auth/sign-in/email', tab.person)
      const { password: currentPassword } = tab.person
      const change = { currentPassword, newPassword: 'violet harbor ladder', revokeOtherSessions: true }
      return show(await tab.post('/auth/change-password', change))
    },
  ],
  [
    'a wrong password, then the right one',
    async (app, { person }) => [
      show(await app.browser().post('/auth/sign-in/email', { ...person, password: 'wrong horse battery' })),
      show(await app.browser().post('/auth/sign-in/email', person)),
    ],
  ],
  [
    'a reset of the password during a set-up of two-factor',
    async (app, tab) => {
      await setUpTwoFactor(tab, tab.person.password)
      await app.browser().post('/auth/forget-password', { email: tab.person.email })
      const token = await mailed(app, tab.person.email)
      return show(await app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' }))
    },
  ],
  [
    'a new password in place of a cleared one',
    async (app, tab) => {
      await app.db.account.updateMany({ ...owned(tab), data: { passwordHash: null } })
      return show(await tab.post('/auth/set-password', { newPassword: 'violet harbor ladder' }))
    },
  ],
  [
    'a wrong password that pauses the password',
    async (app, tab) => {
      await app.db.account.updateMany({ ...owned(tab), data: { knownGuesses: policy.passwordGuesses.known - 1 } })
      return show(await tab.post('/auth/reauthenticate', { password: 'wrong horse battery' }))
    },
  ],
  [
    'a wrong code that locks the second factor',
    async (app, tab) => {
      await switchOnTwoFactor(tab, tab.person.password)
      await app.db.twoFactor.updateMany({ ...owned(tab), data: { failedAttempts: policy.twoFactor.failuresPerLock - 1 } })
      return show(await tab.post('/auth/reauthenticate', { code: '000000' }))
    },
  ],
  [
    'a reauthentication with a code',
    async (_, tab) => {
      const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
      return show(await tab.post('/auth/reauthenticate', { code: authenticator.code(1) }))
    },
  ],
  [
    'a reauthentication by a mailed link',
    async (app, tab) => {
      await app.db.account.deleteMany(owned(tab))
      await app.db.user.update({ where: { id: tab.userId }, data: isOld })
      return show(await tab.post('/auth/reauthenticate', { sendEmail: true }))
    },
  ],
  [
    'a reauthentication with a provider that is not linked',
    async (_, tab) => show(await tab.post('/auth/reauthenticate', { provider: 'github' })),
  ],
  [
    'the options of a passkey for a named user',
    async (_, tab) => {
      await addPasskey(tab, createSoftwareAuthenticator())
      return show(await tab.get('/auth/passkey/generate-authenticate-options'))
    },
  ],
  [
    'a sign-in that waits for a passkey',
    async (app, tab) => {
      await switchOnOldPasskey(app, tab)
      return show(await app.browser().post('/auth/sign-in/email', tab.person))
    },
  ],
  [
    'a sign-up by passkey',
    async (app) => {
      const { name, email } = app.person()
      await app.browser().post('/auth/sign-up/passkey', { name, email })
      const browser = app.browser()
      const options = await browser.get(`/auth/passkey/generate-register-options?context=${await mailed(app, email)}`)
      const response = createSoftwareAuthenticator().register(options.body as never)
      return show(await browser.post('/auth/passkey/verify-registration', { response, createSession: true }))
    },
  ],
  [
    'the security of an account with a passkey alone',
    async (app, tab) => {
      await addPasskey(tab, createSoftwareAuthenticator())
      await app.db.account.deleteMany(owned(tab))
      return show(await tab.get('/auth/get-security'))
    },
  ],
  [
    'the security of an account with an old password and no backup code',
    async (app, tab) => {
      await switchOnTwoFactor(tab, tab.person.password)
      await app.db.backupCode.deleteMany(owned(tab))
      await app.db.account.updateMany({ ...owned(tab), data: isOld })
      return show(await tab.get('/auth/get-security'))
    },
  ],
  [
    'twoFactor.get of an account without a password',
    async (app, tab) => {
      await app.db.account.deleteMany(owned(tab))
      return trpc(tab, 'twoFactor.get')
    },
  ],
  [
    'an organization beyond the limit, in place of a membership that is not accepted',
    async (app, tab) => {
      for (let slot = 1; slot <= policy.organizations.perUser; slot += 1) {
        const members = { create: { userId: tab.userId, role: 'member', slot, acceptedAt: null } }
        await app.db.organization.create({ data: { name: 'Desk', slug: randomUUID(), members } })
      }
      const answer = await tab.post('/auth/organization/create', { name: 'Desk', slug: randomUUID() })
      expect(answer.status).toBe(200)
      return show(answer)
    },
  ],
  [
    'the only owner of an organization, who stays',
    async (_, tab) => {
      const { id: organizationId } = await found(tab)
      const answer = await tab.post('/auth/organization/leave', { organizationId })
      expect(answer.code).toBe('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
      return show(answer)
    },
  ],
  [
    'a member who leaves, while the owner works in the organization',
    async (app, tab) => {
      const owner = await app.signedIn()
      const { id: organizationId } = await found(owner)
      await owner.post('/auth/organization/member/add', { organizationId, userId: tab.userId, role: 'member' })
      const answer = await tab.post('/auth/organization/leave', { organizationId })
      expect(await app.db.session.count({ where: { userId: owner.userId, activeOrganizationId: organizationId } })).toBe(1)
      return show(answer)
    },
  ],
  [
    'the claim of an imported user by a reset',
    async (app) => {
      const { email } = await app.signUp()
      await app.db.user.update({ where: { email }, data: { importedAt: new Date() } })
      await app.browser().post('/auth/forget-password', { email })
      const token = await mailed(app, email)
      return show(await app.browser().post('/auth/reset-password', { token, newPassword: 'violet harbor ladder' }))
    },
  ],
  [
    'a deletion by mailed link',
    async (app, tab) => {
      const { id } = await found(tab)
      await tab.post('/auth/delete-user')
      const answer = await tab.post('/auth/delete-user', { token: await mailed(app, tab.person.email) })
      expect(await app.db.organization.count({ where: { id } })).toBe(0)
      return show(answer)
    },
  ],
  [
    'an undone email change of an account with everything',
    async (app, tab) => {
      await addPasskey(tab, createSoftwareAuthenticator())
      await app.db.account.create({ data: { userId: tab.userId, providerId: 'github', accountId: `x-${tab.userId}` } })
      const input = await samples.get(app)?.['POST /undo-email-change']?.(tab)
      await switchOnTwoFactor(tab, tab.person.password)
      return show(await app.browser().post('/auth/undo-email-change', input))
    },
  ],
  [
    'an undone email change of an account with an old passkey as second factor',
    async (app, tab) => {
      await switchOnOldPasskey(app, tab)
      return undoEmailChange(app, tab)
    },
  ],
  [
    'an undone email change of an account with a new passkey as second factor',
    async (app, tab) => {
      await switchOnOldPasskey(app, tab)
      await app.db.passkey.updateMany({ ...owned(tab), data: { createdAt: new Date() } })
      return undoEmailChange(app, tab)
    },
  ],
  [
    'the removal of the last passkey beside a password',
    async (app, tab) => {
      const { id } = (await addPasskey(tab, createSoftwareAuthenticator())).body as { id: string }
      await app.db.account.deleteMany({ where: { userId: tab.userId } })
      return show(await tab.post('/auth/passkey/delete-passkey', { id }))
    },
  ],
  [
    'the removal of the only linked account',
    async (app, tab) => {
      await app.db.account.updateMany({ where: { userId: tab.userId }, data: { providerId: 'google', passwordHash: null } })
      return show(await tab.post('/auth/unlink-account', { providerId: 'google' }))
    },
  ],
  [
    'a sign-in with a code on a device that becomes trusted',
    async (app, tab) => {
      const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
      const other = app.browser()
      await other.post('/auth/sign-in/email', tab.person)
      return show(await other.post('/auth/two-factor/verify', { code: authenticator.code(1), trustDevice: true }))
    },
  ],
  [
    'a trusted device in place of the oldest of twenty',
    async (app, tab) => {
      const { authenticator } = await switchOnTwoFactor(tab, tab.person.password)
      for (let n = 0; n < policy.twoFactor.trustedDevicesPerUser; n += 1) {
        const data = { ...isOld, userId: tab.userId, secretHash: randomUUID(), expiresAt: new Date(Date.now() + 1e9) }
        await app.db.trustedDevice.create({ data })
      }
      const other = app.browser()
      await other.post('/auth/sign-in/email', tab.person)
      return show(await other.post('/auth/two-factor/verify', { code: authenticator.code(1), trustDevice: true }))
    },
  ],
  [
    'the right password of a user whose email is not verified',
    async (app) => {
      const { email, password } = await app.signUp()
      return show(await app.browser().post('/auth/sign-in/email', { email, password }))
    },
  ],
  [
    'a session that was not seen for a long time',
    async (app, tab) => {
      await app.db.session.updateMany({ ...owned(tab), data: { lastSeenAt: new Date(0) } })
      return show(await tab.get('/auth/get-session'))
    },
  ],
  [
    'an invitation that is sent again',
    async (app, tab) => {
      const { id: organizationId } = await found(tab)
      const { email } = app.person()
      const invite = () => tab.post('/auth/organization/invite-member', { organizationId, email, role: 'member', resend: true })
      return [show(await invite()), show(await invite())]
    },
  ],
  ...['/revoke-other-sessions', '/revoke-sessions'].map((path): [string, Case] => [
    `${path} with three sessions`,
    async (app, tab) => {
      for (const _ of [1, 2]) await app.browser().post('/auth/sign-in/email', tab.person)
      return show(await tab.post(`/auth${path}`))
    },
  ]),
]

/** Acts on rows of the others, by the ids that these rows have in the API. */
const foreign: [string, (row: Awaited<ReturnType<typeof readTargets>>) => [string, Record<string, unknown>]][] = [
  ['name a session', ({ session }) => ['/name-session', { token: session.handle, nickname: 'Mine' }]],
  ['revoke a session', ({ session }) => ['/revoke-session', { token: session.handle }]],
  ['revoke a trusted device', ({ device }) => ['/two-factor/revoke-trusted-device', { id: device.id }]],
  ['rename a passkey', ({ passkey }) => ['/passkey/update-passkey', { id: passkey.id, name: 'Mine' }]],
  ['remove a passkey', ({ passkey }) => ['/passkey/delete-passkey', { id: passkey.id }]],
  ['read an API key', ({ apiKey: { id } }) => [`/api-key/get?id=${id}`, {}]],
  ['rename an API key', ({ apiKey }) => ['/api-key/update', { keyId: apiKey.id, name: 'Mine' }]],
  ['delete an API key', ({ apiKey }) => ['/api-key/delete', { keyId: apiKey.id }]],
  ['list the API keys', ({ invitation: { organizationId } }) => [`/api-key/list?organizationId=${organizationId}`, {}]],
  [
    'create an API key in an organization',
    ({ invitation: { organizationId } }) => ['/api-key/create', { organizationId, name: 'Mine' }],
  ],
  ['read a confirmation', ({ confirmation: { id } }) => [`/confirmation/get?id=${id}`, {}]],
  ['approve a confirmation', ({ confirmation: { id } }) => ['/confirmation/approve', { id }]],
  ['reject a confirmation', ({ confirmation: { id } }) => ['/confirmation/reject', { id }]],
  ['cancel an invitation', ({ invitation }) => ['/organization/cancel-invitation', { invitationId: invitation.id }]],
  [
    'update an organization',
    ({ invitation: { organizationId } }) => ['/organization/update', { organizationId, data: { name: 'Mine' } }],
  ],
  ['delete an organization', ({ invitation: { organizationId } }) => ['/organization/delete', { organizationId }]],
  ['leave an organization', ({ invitation: { organizationId } }) => ['/organization/leave', { organizationId }]],
  ['activate an organization', ({ invitation: { organizationId } }) => ['/organization/set-active', { organizationId }]],
  [
    'activate an organization by its slug',
    ({ member }) => ['/organization/set-active', { organizationSlug: `desk-of-${member.userId}` }],
  ],
  ['accept a membership', ({ invitation: { organizationId } }) => ['/organization/accept-membership', { organizationId }]],
  [
    'remove a member',
    ({ member }) => ['/organization/member/remove', { organizationId: member.organizationId, memberIdOrEmail: member.id }],
  ],
  ['unlink an account', () => ['/unlink-account', { providerId: 'google' }]],
  ['copy a picture', () => ['/take-provider-picture', { providerId: 'google' }]],
]
const readTargets = async (userId: string) => ({
  session: await crowded.db.session.findFirstOrThrow({ where: { userId } }),
  device: await crowded.db.trustedDevice.findFirstOrThrow({ where: { userId } }),
  passkey: await crowded.db.passkey.findFirstOrThrow({ where: { userId } }),
  apiKey: await crowded.db.apiKey.findFirstOrThrow({ where: { userId } }),
  confirmation: await crowded.db.confirmation.findFirstOrThrow({ where: { userId } }),
  invitation: await crowded.db.invitation.findFirstOrThrow({ where: { inviterId: userId } }),
  member: await crowded.db.member.findFirstOrThrow({ where: { userId } }),
})

const why = ['--reason', 'lost phone, called back']
const operatorService = async () => {
  const service = `mine-${randomUUID().slice(0, 8)}`
  expect((await adminOf(crowded)('create-service', service, '--scopes', 'key:verify')).code).toBe(0)
  return service
}
const operatorWebhook = async () => {
  const target = ['https://hooks.example.test/mine', '--contact', 'desk@example.test', '--types', 'key.ended']
  const { json } = await adminOf(crowded)('create-webhook', ...target, '--json')
  return (json as { id: string }).id
}
/** The words of a command that acts on one row. */
const operatorCommands: Record<string, (tab: SignedIn) => Promise<string[]>> = {
  'rotate-service': async () => [await operatorService()],
  'rotate-service --now': async () => [await operatorService(), '--now'],
  'drop-service': async () => [await operatorService(), '--yes'],
  'pause-webhook': async () => [await operatorWebhook()],
  'resume-webhook': async () => {
    const id = await operatorWebhook()
    await adminOf(crowded)('pause-webhook', id)
    return [id]
  },
  'rotate-webhook': async () => [await operatorWebhook()],
  'rotate-webhook --now': async () => [await operatorWebhook(), '--now'],
  'replay-webhook --failed': async () => [await operatorWebhook(), '--failed'],
  'drop-webhook': async () => [await operatorWebhook(), '--yes'],
  'retry-mail': async ({ person }) => [await refuseMail(crowded, person.email)],
  'drop-mail': async ({ person }) => [await refuseMail(crowded, person.email), '--yes'],
  'grant-role': async ({ userId }) => {
    await crowded.db.user.update({ where: { id: userId }, data: { twoFactorEnabled: true } })
    return [userId, '--role', 'auditor', ...why, '--yes']
  },
  'revoke-role': async ({ userId }) => {
    await crowded.db.user.update({ where: { id: userId }, data: { role: 'auditor' } })
    return [userId, ...why]
  },
  'suspend-organization': async (tab) => [(await found(tab)).id, ...why, '--yes'],
  'restore-organization': async (tab) => {
    const { id } = await found(tab)
    await adminOf(crowded)('suspend-organization', id, ...why, '--yes')
    return [id, ...why]
  },
  'request-unlock': async ({ userId }) => {
    await lockUser(crowded, userId)
    return [userId, ...why, '--yes']
  },
}

describe('keeps to the rows of the caller', () => {
  test.each([...routeCases, ...otherCases])('%s', async (_, run) => {
    const before = await readOthersBefore()
    const [expected, actual] = await Promise.all([observe(alone, run), observe(crowded, run)])
    expect(await readOthers()).toEqual(before)
    expect([actual.answer, ...actual.rows, ...actual.mails].map(traceOf).filter(Boolean)).toEqual([])
    expect(actual.seen).toEqual(expected.seen)
  })

  test.each(routesAboutUsers)('POST $path changes no row of another', async ({ path, access, createInput }) => {
    await removeCallers(crowded)
    const tab = await crowded.signedIn()
    const input = await createInput?.(tab)
    const before = await readOthers()
    const post = () =>
      access === 'service' ? crowded.browser().post(addressOf(path), input, asService) : tab.post(addressOf(path), input)
    expect((await post()).status).toBe(200)
    expect(await readOthers()).toEqual(before)
  })

  test.each(Object.entries(operatorCommands))('the command %s changes no row of another', async (name, createWords) => {
    await removeCallers(crowded)
    const words = await createWords(await crowded.signedIn())
    const before = await readOthers()
    expect(await adminOf(crowded)(name.split(' ')[0] ?? '', ...words)).toMatchObject({ code: 0 })
    expect(await readOthers()).toEqual(before)
  })

  test.each(foreign)('cannot %s of another user', async (_, target) => {
    const tab = await crowded.signedIn()
    const organization = await found(tab)
    await addPasskey(tab, createSoftwareAuthenticator())
    const before = await readOthersBefore()
    for (const { userId } of others) {
      const [path, input] = target(await readTargets(userId))
      const answer = path.includes('?') ? await tab.get(`/auth${path}`) : await tab.post(`/auth${path}`, input)
      expect(answer.status).not.toBe(500)
      expect([path, traceOf(answer.body)]).toEqual([path, undefined])
      // The organization of the target, with the caller's own as the one that grants the right.
      if ('memberIdOrEmail' in input) await tab.post(`/auth${path}`, { ...input, organizationId: organization.id })
    }
    expect(await readOthers()).toEqual(before)
  })

  test('accepts no backup code of another user', async () => {
    const [mine, theirs] = await Promise.all([crowded.signedIn(), crowded.signedIn()])
    await switchOnTwoFactor(mine, mine.person.password)
    const { backupCodes } = await switchOnTwoFactor(theirs, theirs.person.password)
    expect((await mine.post('/auth/reauthenticate', { code: backupCodes[0] })).code).toBe('INVALID_BACKUP_CODE')
    expect(await crowded.db.backupCode.count({ where: { userId: theirs.userId, usedAt: null } })).toBe(10)
  })

  test('asks for the code in a browser that another user trusts, and keeps that trust', async () => {
    const [mine, theirs] = await Promise.all([crowded.signedIn(), crowded.signedIn()])
    const factors = await Promise.all([mine, theirs].map((tab) => switchOnTwoFactor(tab, tab.person.password)))
    const browser = crowded.browser()
    for (const [index, { person }] of [theirs, mine].entries()) {
      expect((await browser.post('/auth/sign-in/email', person)).body).toMatchObject({ twoFactorRedirect: true })
      const code = factors[1 - index]?.authenticator.code(1)
      expect((await browser.post('/auth/two-factor/verify', { code, trustDevice: true })).status).toBe(200)
    }
    expect(await crowded.db.trustedDevice.count({ where: { userId: theirs.userId } })).toBe(1)
  })

  test('invites a person whom another organization has as a member or invited', async () => {
    const tab = await crowded.signedIn()
    const { id: organizationId } = await found(tab)
    const [other] = others
    for (const email of [other?.person.email, `1-${other?.person.email}`])
      expect((await tab.post('/auth/organization/invite-member', { organizationId, email, role: 'member' })).status).toBe(200)
    await crowded.db.organization.delete({ where: { id: organizationId } })
  })
})
