import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { crc32, deflateSync } from 'node:zlib'
import {
  createEventFeed,
  createExpirySweep,
  createSecretResealer,
  createSessionMisses,
  createWebhookQueue,
  policy,
} from '@floorpass/api'
import { mostFound, mostMails } from '@floorpass/api/administration'
import { fieldLengths, passwordLength } from '@floorpass/api/contracts'
import type { Database } from '@floorpass/db'
import { adminOf } from '@floorpass/testing/admin-command'
import { outcome } from '@floorpass/testing/browser'
import { holdClock, holdStep } from '@floorpass/testing/clock'
import { createTestApp, type SignedIn } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { found } from '@floorpass/testing/organization'
import { addPasskey, createAssertion } from '@floorpass/testing/passkeys'
import { everyProvider, serviceKey } from '@floorpass/testing/route-samples'
import { signInWithFactor } from '@floorpass/testing/sign-in'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import sharp, { type Sharp } from 'sharp'
import { expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp({ ...everyProvider, SERVICE_KEYS: serviceKey })
const { db } = app.service.deps

/** A test of another file: its path, and words of its title. */
type Elsewhere = [file: string, title: string]
type Proof = Elsewhere | (() => Promise<unknown>)

type Entries<Value, Path extends string = ''> = Value extends object
  ? { [Key in keyof Value & string]: Entries<Value[Key], Path extends '' ? Key : `${Path}.${Key}`> }[keyof Value & string]
  : Path
const entriesOf = (value: unknown, path = ''): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => entriesOf(inner, path === '' ? key : `${path}.${key}`))
    : [path]

const bounds = { ...policy, passwordLength, fieldLengths, mostFound, mostMails }

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)

/** The lifetime that a one-time token has in its row. `security/one-time-tokens.test.ts` shows that it ends to the second. */
const tokenLifetime = async (purpose: string) => {
  const { createdAt, expiresAt } = await db.verification.findFirstOrThrow({ where: { purpose }, orderBy: { id: 'desc' } })
  return (expiresAt.getTime() - createdAt.getTime()) / 1000
}

/** Whether `get-security` counts this step as done. */
const isDone = async (tab: SignedIn, step: string) => {
  const { steps } = (await tab.get('/auth/get-security')).body as { steps: { name: string; done: boolean }[] }
  return steps.find(({ name }) => name === step)?.done
}

/** Delays of the timers that `start` sets, in seconds. */
async function delaysOf(timer: 'setTimeout' | 'setInterval', start: () => { stop(): unknown }): Promise<number[]> {
  const spy = vi.spyOn(globalThis, timer)
  onTestFinished(() => spy.mockRestore())
  const started = start()
  const delays = spy.mock.calls.map(([, delay]) => Number(delay) / 1000)
  spy.mockRestore()
  await started.stop()
  return delays
}

const createFeed = () => createEventFeed(app.service.deps)

const startSweep = () => {
  const sweep = createExpirySweep(app.service.deps)
  sweep.start()
  return sweep
}

/** A PNG of one bit for each pixel, in base64: encoding the largest picture with a library takes seconds on a busy machine. */
const picture = (width: number, height: number): string => {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    checksum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, checksum])
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const rows = deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * height))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]).toString('base64')
}

/** An object of so many bytes of JSON. */
const metadataOf = (bytes: number) => ({ x: 'x'.repeat(bytes - '{"x":""}'.length) })

const createKey = async (tab: SignedIn, fields: object) =>
  outcome(await tab.post('/auth/api-key/create', { name: 'Bot', ...fields }))

/** A key with `fields(0)` is created, and one with `fields(1)` is refused. */
async function expectKeyLimit(fields: (over: number) => object, refusal: string) {
  const tab = await app.signedIn()
  expect(await createKey(tab, fields(0))).toEqual([200, undefined])
  expect(await createKey(tab, fields(1))).toEqual([400, refusal])
}

const { gatewayPerMinute, addressPerMinute, readsPerSecond } = policy.sessionMisses

/** Invalid cookies of one address, at one moment, may cause exactly `most` reads of the database. */
async function expectReads(most: number, gateway?: string) {
  const misses = createSessionMisses(true)
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  onTestFinished(() => now.mockRestore())
  const cookies = { get: () => undefined, all: () => [], set: () => {} }
  const scope = { ...app.service.deps, cookies, client: { ip: '198.51.100.20' }, ...(gateway !== undefined && { gateway }) }
  const read = () => misses.startRead(scope as never).countMiss()
  for (let count = 0; count < most; count += 1) read()
  expect(read).toThrow(expect.objectContaining({ key: 'TOO_MANY_REQUESTS' }))
}

const proofs: Record<Entries<typeof bounds>, Proof> = {
  largestBody: ['http/buffer-body.test.ts', 'a body one byte above the limit is refused'],
  mostFormParts: ['http/buffer-body.test.ts', 'has 100 parts at most'],
  'session.lifetime': ['sessions/get-session.test.ts', 'T40: ends a session after seven days without use'],
  'session.updateAge': ['sessions/get-session.test.ts', 'extends a session in use and its cookie once a day'],
  'session.absoluteLifetime': ['sessions/get-session.test.ts', 'T41: ends a session and its cookie after thirty days'],
  'session.browserLifetime': ['sessions/get-session.test.ts', 'never extends a session without "remember me"'],
  'session.reauthenticationAge': ['sign-in/issue-16-reauthentication.test.ts', 'for 15 minutes, to the second'],
  'session.clockTolerance': ['sign-in/issue-16-reauthentication.test.ts', 'the clock goes back more than a minute'],
  'session.lastSeenPrecision': ['sessions/list-sessions.test.ts', 'updates "last seen" at most every ten minutes'],
  'verifyEmail.lifetime': ['email-address/verify-email.test.ts', 'T94: accepts a link until its last second'],
  'resetPassword.lifetime': ['passwords/reset-password.test.ts', 'T94: accepts a link until its last second'],
  'changeEmail.lifetime': ['email-address/change-email.test.ts', 'T94: accepts the link for an hour, and not a second longer'],
  'undoEmailChange.lifetime': ['email-address/undo-email-change.test.ts', 'works for seven days, and not a second longer'],
  async 'socialFlow.lifetime'() {
    await app.browser().post('/auth/sign-in/social', { provider: 'github' })
    expect(await tokenLifetime('social-sign-in')).toBe(policy.socialFlow.lifetime)
  },
  'deleteAccount.lifetime': ['profile/delete-user.test.ts', 'T94: the link works for exactly an hour'],
  'reauthentication.lifetime': ['sign-in/issue-16-reauthentication-link.test.ts', 'T94: works for 15 minutes'],
  'reauthentication.addressAge': ['sign-in/issue-16-reauthentication-link.test.ts', 'until the account is a week old'],
  'organizations.perUser': ['organizations/organization.test.ts', 'T128: refuses a sixth'],
  'organizations.members': ['organizations/organization.test.ts', 'T137: an organization has at most a hundred members'],
  'organizations.pendingInvitations': ['organizations/invitation.test.ts', 'allows a hundred open invitations, and no more'],
  async 'organizations.invitationLifetime'() {
    const clock = holdClock()
    const [owner, tab] = [await app.signedIn(), await app.signedIn()]
    const { id: organizationId } = await found(owner)
    const { email } = tab.person
    await owner.post('/auth/organization/invite-member', { organizationId, email, role: 'member' })
    await app.drainMail()
    const read = async () => (await tab.get(`/auth/organization/get-invitation?id=${app.outbox.lastTo(email).token}`)).status
    clock.advance(policy.organizations.invitationLifetime - 1)
    expect(await read()).toBe(200)
    clock.advance(1)
    expect(await read()).not.toBe(200)
  },
  async 'organizations.metadata'() {
    const tab = await app.signedIn()
    const create = (bytes: number) => {
      const metadata = metadataOf(bytes)
      return tab.post('/auth/organization/create', { name: 'Desk', slug: randomUUID(), metadata })
    }
    expect((await create(policy.organizations.metadata)).status).toBe(200)
    expect((await create(policy.organizations.metadata + 1)).code).toBe('VALIDATION_ERROR')
  },
  'organizations.newRoleHold': ['protection/new-role-hold.test.ts', 'for three days, to the second'],
  async 'organizations.listedInvitations'() {
    const owner = await app.signedIn()
    const { id: organizationId } = await found(owner)
    const { listedInvitations } = policy.organizations
    const invite = (from: number, to: number) =>
      db.invitation.createMany({
        data: Array.from({ length: to - from }, (_, count) => ({
          organizationId,
          inviterId: owner.userId,
          email: `${from + count}@listed.test`,
          role: 'member',
          secretHash: randomUUID(),
          expiresAt: ago(-60),
        })),
      })
    const countListed = async () => {
      const { body } = await owner.get(`/auth/organization/get-full-organization?organizationId=${organizationId}`)
      return (body as { invitations: unknown[] }).invitations.length
    }
    await invite(0, listedInvitations)
    expect(await countListed()).toBe(listedInvitations)
    await invite(listedInvitations, listedInvitations + 1)
    expect(await countListed()).toBe(listedInvitations)
  },
  'security.backupCodesLow': ['profile/get-security.test.ts', 'enough codes, and new codes when few are left'],
  async 'security.idleSession'() {
    holdClock()
    const tab = await app.signedIn()
    await app.browser().post('/auth/sign-in/email', tab.person)
    for (const [idle, done] of [
      [policy.security.idleSession - 1, true],
      [policy.security.idleSession, false],
    ] as const) {
      await app.db.session.updateMany({ where: { userId: tab.userId }, data: { lastSeenAt: ago(idle) } })
      expect([idle, await isDone(tab, 'review-sessions')]).toEqual([idle, done])
    }
  },
  async 'security.passwordAge'() {
    holdClock()
    const tab = await app.signedIn()
    for (const [age, done] of [
      [policy.security.passwordAge - 1, true],
      [policy.security.passwordAge, false],
    ] as const) {
      await app.db.account.updateMany({ where: { userId: tab.userId }, data: { createdAt: ago(age) } })
      expect([age, await isDone(tab, 'renew-password')]).toEqual([age, done])
    }
  },
  'twoFactor.codePeriod': ['two-factor/sign-in-with-code.test.ts', 'is the one of RFC 6238, cut to six digits'],
  'twoFactor.challengeLifetime': ['two-factor/sign-in-with-code.test.ts', 'ends the challenge after ten minutes, to the second'],
  'twoFactor.attemptsPerChallenge': ['two-factor/sign-in-with-code.test.ts', 'T26: are compared five times at most'],
  'twoFactor.failuresPerLock': ['two-factor/sign-in-with-code.test.ts', 'lock the second factor after ten in a row'],
  'twoFactor.firstLock': ['two-factor/sign-in-with-code.test.ts', 'lock the second factor after ten in a row'],
  'twoFactor.longestLock': ['two-factor/sign-in-with-code.test.ts', 'double each lock, up to a day'],
  async 'twoFactor.failuresEver'() {
    const { tab, userId, authenticator, clock } = await signInWithFactor(app, holdStep())
    const reauthenticateAfter = async (failedAttempts: number) => {
      await app.db.twoFactor.update({ where: { userId }, data: { failedAttempts } })
      clock.advance(policy.twoFactor.codePeriod)
      return outcome(await tab.post('/auth/reauthenticate', { code: authenticator.code() }))
    }
    expect(await reauthenticateAfter(policy.twoFactor.failuresEver - 1)).toEqual([200, undefined])
    expect(await reauthenticateAfter(policy.twoFactor.failuresEver)).toEqual([429, 'ACCOUNT_TEMPORARILY_LOCKED'])
  },
  'twoFactor.backupCodes': ['two-factor/enable-two-factor.test.ts', 'and ten backup codes'],
  async 'twoFactor.trustedDeviceLifetime'() {
    const { person, authenticator, clock } = await signInWithFactor(app, holdStep())
    const laptop = app.browser()
    const signIn = async () => (await laptop.post('/auth/sign-in/email', person)).body
    await signIn()
    await laptop.post('/auth/two-factor/verify', { code: authenticator.code(), trustDevice: true })
    clock.advance(policy.twoFactor.trustedDeviceLifetime - 1)
    expect(await signIn()).toHaveProperty('token')
    clock.advance(1)
    expect(await signIn()).toHaveProperty('twoFactorRedirect')
  },
  'twoFactor.trustedDevicesPerUser': ['two-factor/trusted-devices.test.ts', 'replaces the oldest when there are twenty'],
  'administration.mostListed': ['administration/administrators.test.ts', 'a page has 100 users at most'],
  'administration.furthestOffset': ['administration/administrators.test.ts', 'further pages need the last id'],
  'administration.exportedEvents': ['administration/audit-file.test.ts', 'has ten thousand events at most'],
  'administration.exactCount': ['administration/administrators.test.ts', 'counts exactly up to five hundred'],
  'administration.approvalLifetime': ['administration/two-administrators.test.ts', 'counts for a day, to the second'],
  'administration.mostApproversMailed': ['administration/two-administrators.test.ts', 'mails at most 20 other administrators'],
  'administration.longestSuspension': [
    'administration/administer-users.test.ts',
    'a suspension lasts a minute at least and ten years at most',
  ],
  'administration.suspensionEndsEvery': ['administration/administer-users.test.ts', 'ends by itself within a minute'],
  'administration.impersonationLifetime': ['administration/impersonation.test.ts', 'ends after 30 minutes, to the second'],
  'passkeys.perUser': ['passkeys/register-passkey.test.ts', 'refuses a passkey beyond the limit'],
  async 'passkeys.challengeLifetime'() {
    const tab = await app.signedIn()
    await tab.get('/auth/passkey/generate-register-options')
    expect(await tokenLifetime('passkey-registration')).toBe(policy.passkeys.challengeLifetime)
  },
  async 'passkeys.ownerProofAge'() {
    holdClock()
    const tab = await app.signedIn()
    const authenticator = createSoftwareAuthenticator()
    await addPasskey(tab, authenticator)
    await tab.post('/auth/two-factor/enable', { method: 'passkey', password: tab.person.password })
    const replaceCodesAtAge = async (age: number) => {
      await app.db.passkey.updateMany({ where: { userId: tab.userId }, data: { createdAt: ago(age) } })
      const passkey = await createAssertion(tab, authenticator)
      return outcome(await tab.post('/auth/two-factor/generate-backup-codes', { passkey }))
    }
    expect(await replaceCodesAtAge(policy.passkeys.ownerProofAge - 1)).toEqual([403, 'PASSKEY_TOO_NEW'])
    expect(await replaceCodesAtAge(policy.passkeys.ownerProofAge)).toEqual([200, undefined])
  },
  'passwordGuesses.known': ['sign-in/password-guesses.test.ts', 'T20: allows twenty more wrong passwords from known devices'],
  'passwordGuesses.unknown': ['sign-in/password-guesses.test.ts', 'from unknown devices after eighty wrong ones in a row'],
  'passwordGuesses.accountsPerDevice': ['sign-in/password-guesses.test.ts', 'remembers the last five accounts of a browser'],
  async 'passwordGuesses.deviceLifetime'() {
    const clock = holdClock()
    const owner = await app.signedIn()
    const guess = async () => {
      await owner.post('/auth/sign-in/email', { email: owner.person.email, password: 'wrong horse battery' })
      const { knownGuesses, unknownGuesses } = await db.account.findFirstOrThrow({ where: { userId: owner.userId } })
      return [knownGuesses, unknownGuesses]
    }
    clock.advance(policy.passwordGuesses.deviceLifetime - 1)
    expect(await guess()).toEqual([1, 0])
    clock.advance(1)
    expect(await guess()).toEqual([1, 1])
  },
  rememberSignInMethod: ['sign-in/sign-in-email.test.ts', 'opens a session and sets its cookie'],
  'accessToken.lifetime': ['access/access-token.test.ts', 'a token carries the claims of RFC 9068 and nothing else'],
  'accessToken.clockTolerance': ['access/access-token.test.ts', "test('expires'"],
  'signingKeys.rotateEvery': ['access/signing-keys.test.ts', 'keys rotate on schedule'],
  'signingKeys.publishedBefore': ['access/signing-keys.test.ts', 'each is published long before it signs'],
  'signingKeys.inMemory': ['access/signing-keys.test.ts', 'every process signs with the new key at the same moment'],
  'signingKeys.publicCache': ['access/signing-keys.test.ts', 'a verifier that keeps the key set for five minutes'],
  'signingKeys.keepRetired': ['access/signing-keys.test.ts', 'is refused an hour after the next one signs'],
  'pictures.largestForm': ['profile/pictures.test.ts', 'reads a form of 2 MiB and refuses a larger one'],
  async 'pictures.mostPixels'() {
    const tab = await app.signedIn()
    const side = Math.sqrt(policy.pictures.mostPixels)
    const send = async (height: number) => outcome(await tab.post('/auth/set-picture', { picture: picture(side, height) }))
    expect(await send(side + 1)).toEqual([400, 'PICTURE_TOO_LARGE'])
    expect(await send(side)).toEqual([200, undefined])
  },
  'pictures.side': ['profile/pictures.test.ts', 'stores the centre of the file as a square in WebP'],
  async 'pictures.longestWork'() {
    const timeout = vi.spyOn(sharp.prototype, 'timeout')
    onTestFinished(() => timeout.mockRestore())
    await (await app.signedIn()).post('/auth/set-picture', { picture: picture(1, 1) })
    expect(timeout.mock.calls).toEqual([[{ seconds: policy.pictures.longestWork }]])
  },
  async 'pictures.waiting'() {
    const tab = await app.signedIn()
    const small = picture(1, 1)
    const held = Promise.withResolvers<void>()
    const { metadata } = sharp.prototype
    const spy = vi.spyOn(sharp.prototype, 'metadata').mockImplementation(async function (this: Sharp) {
      await held.promise
      return metadata.call(this)
    } as never)
    onTestFinished(() => spy.mockRestore())
    const answers: unknown[] = []
    // One is being decoded, the others wait, and the last finds no place.
    const sent = Array.from({ length: 1 + policy.pictures.waiting + 1 }, async () => {
      answers.push(outcome(await tab.post('/auth/set-picture', { picture: small })))
    })
    await eventually(() => expect(answers).toEqual([[503, 'SERVICE_BUSY']]))
    held.resolve()
    await Promise.all(sent)
    expect(answers.slice(1)).toEqual(Array(1 + policy.pictures.waiting).fill([200, undefined]))
  },
  'pictures.fetchTime': ['profile/provider-pictures.test.ts', 'waits 5 seconds for a provider'],
  exportedEvents: ['profile/list-activity.test.ts', 'holds at most the newest 5,000 events'],
  sessionsInMemory: ['sessions/session-cache.test.ts', 'drops the least recently used entry when it is full'],
  sessionsPerUser: ['sessions/revoke-session.test.ts', 'T49: the fifty-first sign-in ends the oldest session'],
  'sessionMisses.addressPerMinute': () => expectReads(addressPerMinute + readsPerSecond),
  'sessionMisses.gatewayPerMinute': () => expectReads(gatewayPerMinute + addressPerMinute + readsPerSecond, 'gateway'),
  'sessionMisses.devicePerMinute': ['sessions/issue-16-forged-cookies.test.ts', 'lose few more reads when the attacker has'],
  'sessionMisses.readsPerSecond': () => expectReads(addressPerMinute + readsPerSecond),
  rateLimitRecords: ['security/rate-limiter.test.ts', 'keeps a bounded number of records and drops the least recently used'],
  hashQueueLength: ['security/password-hasher.test.ts', 'T29: answers SERVICE_BUSY when the queue is full'],
  passwordQueueLength: ['trpc/issue-16-batch-cost.test.ts', 'of passwords answers SERVICE_BUSY while too many wait'],
  'mail.lease': ['mail/mail-queue.test.ts', 'a worker whose lease expired does not release a mail'],
  'mail.firstRetry': ['mail/mail-queue.test.ts', 'retry delays grow fourfold from ten seconds to an hour'],
  'mail.longestRetry': ['mail/mail-queue.test.ts', 'retry delays grow fourfold from ten seconds to an hour'],
  'mail.longestPause': ['mail/mail-queue.test.ts', 'tries an unavailable server once a minute'],
  'mail.longestTry': ['mail/mail-queue.test.ts', 'gives up a mail that the server deferred for three days'],
  async 'mail.atOnce'() {
    await app.drainMail()
    const held = Promise.withResolvers<void>()
    const { send } = app.outbox
    let started = 0
    app.outbox.send = async (mail) => {
      started += 1
      await held.promise
      return send(mail)
    }
    onTestFinished(() => {
      app.outbox.send = send
    })
    const queueOne = async () => {
      const { email } = await app.verified()
      await app.browser().post('/auth/forget-password', { email })
    }
    for (let count = 0; count < policy.mail.atOnce; count += 1) await queueOne()
    await eventually(() => expect(started).toBe(policy.mail.atOnce))
    // Wakes the queue again.
    await queueOne()
    expect([started, await db.queuedMail.count({ where: { attempts: 0 } })]).toEqual([policy.mail.atOnce, 1])
    held.resolve()
    await app.drainMail()
    expect(started).toBe(policy.mail.atOnce + 1)
  },
  'services.secretOverlap': ['service-credentials/require-service.test.ts', 'beside the new one for a day, and no longer'],
  usesFlushedEvery: ['service-credentials/service-uses.test.ts', 'flushes by itself every 30 seconds'],
  phraseLength: ['protection/phrase.test.ts', 'may have 80 characters'],
  'panic.lifetime': ['protection/panic.test.ts', 'works for a week, to the second'],
  'panic.unlockDays': ['protection/panic.test.ts', 'the lock ends a day after a request'],
  'apiKeys.perUser': ['api-keys/manage-keys.test.ts', 'stops at the limit of a person'],
  async 'apiKeys.perOrganization'() {
    const owner = await app.signedIn()
    const { id: organizationId } = await found(owner)
    const keys = Array.from({ length: policy.apiKeys.perOrganization - 1 }, () => ({
      userId: owner.userId,
      organizationId,
      secretHash: randomUUID(),
      scopes: [],
    }))
    await db.apiKey.createMany({ data: keys })
    expect(await createKey(owner, { organizationId })).toEqual([200, undefined])
    expect(await createKey(owner, { organizationId })).toEqual([403, 'API_KEY_LIMIT_REACHED'])
  },
  'apiKeys.nameLength': () =>
    expectKeyLimit((over) => ({ name: 'x'.repeat(policy.apiKeys.nameLength + over) }), 'INVALID_NAME_LENGTH'),
  'apiKeys.shortest': () => expectKeyLimit((over) => ({ expiresIn: policy.apiKeys.shortest - over }), 'EXPIRES_IN_IS_TOO_SMALL'),
  'apiKeys.longest': () => expectKeyLimit((over) => ({ expiresIn: policy.apiKeys.longest + over }), 'EXPIRES_IN_IS_TOO_LARGE'),
  'apiKeys.ranges': () =>
    expectKeyLimit((over) => ({ ipAllowlist: Array(policy.apiKeys.ranges + over).fill('192.0.2.0/24') }), 'VALIDATION_ERROR'),
  'apiKeys.metadata': () =>
    expectKeyLimit((over) => ({ metadata: metadataOf(policy.apiKeys.metadata + over) }), 'VALIDATION_ERROR'),
  'allowList.perUser': ['allow-list/entries.test.ts', 'stops at the limit of a user'],
  'apiKeys.inMemory': ['api-keys/verify-key.test.ts', 'is read once, and then from memory'],
  'apiKeys.usualWindow': ['api-keys/verify-key.test.ts', 'without an end, 5 seconds old'],
  'apiKeys.longestWindow': ['api-keys/verify-key.test.ts', 'for 61 seconds'],
  'apiKeys.clockTolerance': ['api-keys/verify-key.test.ts', 'by a clock 6 seconds ahead'],
  'confirmations.longestLifetime': ['confirmations/create-confirmation.test.ts', 'a life of 301 seconds'],
  'confirmations.perUser': ['confirmations/create-confirmation.test.ts', 'keep the newest twenty pending confirmations'],
  'confirmations.attempts': ['confirmations/approve-confirmation.test.ts', 'ten times rejects the confirmation'],
  'confirmations.details': ['confirmations/create-confirmation.test.ts', 'eleven objects'],
  'confirmations.size': ['confirmations/create-confirmation.test.ts', '4 KiB and a byte'],
  'confirmations.depth': ['confirmations/create-confirmation.test.ts', 'six levels'],
  'confirmations.clockTolerance': ['confirmations/approve-confirmation.test.ts', 'is not longer when the clock is set back'],
  async 'sweep.every'() {
    expect(await delaysOf('setInterval', startSweep)).toEqual([policy.sweep.every])
  },
  async 'sweep.firstWithin'() {
    const [delay = 0] = await delaysOf('setTimeout', startSweep)
    expect(delay).toBeLessThanOrEqual(policy.sweep.firstWithin)
    expect(delay).toBeGreaterThanOrEqual(policy.sweep.firstWithin / 2)
  },
  async 'sweep.batchSize'() {
    const createdAt = ago(policy.sweep.keepRefusedMails + 60)
    const refused = { mailSealed: '', nextAttemptAt: null, createdAt }
    await db.queuedMail.createMany({ data: Array(policy.sweep.batchSize + 1).fill(refused) })
    const batches: number[] = []
    const onSwept = (gone: Record<string, number>) => void batches.push(gone.queued_mails ?? 0)
    await createExpirySweep({ ...app.service.deps, onSwept }).sweep()
    expect(batches.filter(Boolean)).toEqual([policy.sweep.batchSize, 1])
  },
  'sweep.keepLinks': ['database/expiry-sweep.test.ts', 'a sweep removes only expired rows'],
  'sweep.keepAuditEvents': ['database/audit-months.test.ts', 'older than the policy keeps, and no day earlier'],
  'sweep.auditMonthsAhead': ['database/audit-months.test.ts', 'creates those of the next four months, once'],
  'sweep.keepRefusedMails': ['database/expiry-sweep.test.ts', 'a sweep removes only expired rows'],
  'sweep.keepEvents': ['database/expiry-sweep.test.ts', 'removes old events from the front of the feed'],
  async 'reseal.after'() {
    const start = () => {
      const resealer = createSecretResealer(app.service.deps)
      resealer.start()
      return resealer
    }
    expect(await delaysOf('setInterval', start)).toEqual([policy.reseal.after])
  },
  async 'reseal.batchSize'() {
    const sizes: unknown[] = []
    const counting = db.$extends({
      query: {
        twoFactor: {
          findMany({ args, query }) {
            sizes.push(args.take)
            return query(args)
          },
        },
      },
    }) as unknown as Database
    await createSecretResealer({ ...app.service.deps, db: counting }).reseal()
    expect(new Set(sizes)).toEqual(new Set([policy.reseal.batchSize]))
  },
  async 'events.poll'() {
    const start = () => {
      const feed = createFeed()
      feed.start()
      return feed
    }
    expect(await delaysOf('setInterval', start)).toEqual([policy.events.poll])
  },
  async 'events.batchPause'() {
    const start = () => {
      const feed = createFeed()
      feed.start()
      feed.scheduleFlush()
      feed.scheduleFlush()
      return feed
    }
    expect(await delaysOf('setTimeout', start)).toEqual([policy.events.batchPause])
  },
  async 'events.batchSize'() {
    const sizes = async (events: number) => {
      await createFeed().flush()
      await db.$executeRaw`INSERT INTO outbox_events (type, data) SELECT 'activity.sign-in', '{}'::jsonb FROM generate_series(1, ${events}::int)`
      const transaction = vi.spyOn(app.service.deps.sql, 'transaction')
      await createFeed().flush()
      const batches = await Promise.all(transaction.mock.results.map(({ value }) => value))
      transaction.mockRestore()
      return batches
    }
    expect(await sizes(policy.events.batchSize + 1)).toEqual([policy.events.batchSize, 1])
  },
  'events.batchesAtOnce': [
    'events/backlog.test.ts',
    'a reader waits for four batches of a backlog, and knows that there is more',
  ],
  'events.pageSize': ['events/feed.test.ts', 'has a hundred events unless asked otherwise, and at most 500'],
  'events.longestPage': ['events/feed.test.ts', 'has a hundred events unless asked otherwise, and at most 500'],
  'events.longestWait': ['events/feed.test.ts', 'a wait of 31 seconds'],
  async 'events.streamLifetime'() {
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    onTestFinished(() => timeout.mockRestore())
    const headers = { authorization: `Bearer ${serviceKey}` }
    await app.browser({ origin: null }).request('HEAD', '/auth/events/stream', { headers })
    expect(timeout.mock.calls).toEqual([[policy.events.streamLifetime * 1000]])
  },
  'events.readersAtOnce': [
    'events/wait-for-events.test.ts',
    'refuses the 201st reader with SERVICE_BUSY, and counts no reader of another service',
  ],
  'webhooks.timeout': ['webhooks/receivers.test.ts', 'gets the event again, after ten seconds at most'],
  'webhooks.lease': ['webhooks/order.test.ts', 'of a process that ended runs out, and another sends the event again'],
  'webhooks.rankedAtOnce': ['webhooks/order.test.ts', 'a user with many due deliveries delays no other user'],
  'webhooks.atOnce': ['webhooks/order.test.ts', 'at most eight of one webhook are under way'],
  async 'webhooks.poll'() {
    const start = () => {
      const queue = createWebhookQueue(app.service.deps)
      queue.start()
      return queue
    }
    expect(await delaysOf('setInterval', start)).toEqual([policy.webhooks.poll])
  },
  'webhooks.firstRetry': ['webhooks/retries.test.ts', 'is tried ten times within three days, with growing pauses'],
  'webhooks.retryFactor': ['webhooks/retries.test.ts', 'is tried ten times within three days, with growing pauses'],
  'webhooks.longestRetry': ['webhooks/retries.test.ts', 'is tried ten times within three days, with growing pauses'],
  'webhooks.mostAttempts': ['webhooks/retries.test.ts', 'is tried ten times within three days, with growing pauses'],
  'webhooks.pauseAfter': ['webhooks/retries.test.ts', 'pauses after three days without a success, to the second'],
  'webhooks.keyOverlap': ['webhooks/signatures.test.ts', 'after a rotation the former keys sign too for a day, to the second'],
  'smokeTests.check': ['smoke-tests/check-exchanges.test.ts', 'take at most 20 of the 25 seconds that the pipeline waits'],
  'smokeTests.suite': ['smoke-tests/check-exchanges.test.ts', 'take at most 20 of the 25 seconds that the pipeline waits'],
  'smokeTests.slowestAnswer': ['smoke-tests/check-exchanges.test.ts', 'slow fails only the latency test'],
  'smokeTests.clockTolerance': ['smoke-tests/check-exchanges.test.ts', 'seconds off fails only the clock test'],
  'smokeTests.longestMailWait': ['smoke-tests/smoke-tests.test.ts', 'a mail waited too long'],
  'passwordLength.min': ['sign-in/sign-up-email.test.ts', "['7 characters', strong.slice(1), 400"],
  'passwordLength.max': ['sign-in/sign-up-email.test.ts', "['129 characters'"],
  'fieldLengths.email': ['sign-in/sign-up-email.test.ts', 'T171: allows 64 characters before the @ and 254 in all'],
  'fieldLengths.emailLocalPart': ['sign-in/sign-up-email.test.ts', 'T171: allows 64 characters before the @ and 254 in all'],
  'fieldLengths.name': ['profile/update-user.test.ts', 'T121: a name is text of 1 to 100 characters'],
  async 'fieldLengths.slug'() {
    const tab = await app.signedIn()
    const check = async (length: number) => outcome(await tab.post('/auth/organization/check-slug', { slug: 's'.repeat(length) }))
    expect(await check(fieldLengths.slug)).toEqual([200, undefined])
    expect(await check(fieldLengths.slug + 1)).toEqual([400, 'VALIDATION_ERROR'])
  },
  async mostFound() {
    const insert = (from: number, to: number) =>
      db.user.createMany({
        data: Array.from({ length: to - from }, (_, count) => ({
          name: 'Ada',
          email: `most-found-${from + count}@example.test`,
        })),
      })
    const find = async () => ((await adminOf(app)('find', 'most-found-', '--json')).json as unknown[]).length
    await insert(0, mostFound)
    expect(await find()).toBe(mostFound)
    await insert(mostFound, mostFound + 1)
    expect(await find()).toBe(mostFound)
  },
  async mostMails() {
    await db.queuedMail.deleteMany()
    const refuse = (count: number) =>
      db.queuedMail.createMany({ data: Array(count).fill({ mailSealed: '', nextAttemptAt: null }) })
    const list = async () => ((await adminOf(app)('mails', '--json')).json as unknown[]).length
    await refuse(mostMails)
    expect(await list()).toBe(mostMails)
    await refuse(1)
    expect(await list()).toBe(mostMails)
    await db.queuedMail.deleteMany()
  },
}

test('every entry of the policy and every exported limit has a case', () => {
  expect(Object.keys(proofs).sort()).toEqual(entriesOf(bounds).sort())
})

const tests = fileURLToPath(new URL('..', import.meta.url))
const elsewhere = Object.entries(proofs).filter((entry): entry is [string, Elsewhere] => Array.isArray(entry[1]))
test.each(elsewhere)('the boundary of %s is tested in another file', (_, [file, title]) => {
  expect(readFileSync(`${tests}${file}`, 'utf8')).toContain(title)
})

const here = Object.entries(proofs).filter((entry): entry is [string, () => Promise<unknown>] => !Array.isArray(entry[1]))
test.each(here)('%s holds up to its boundary and no further', async (_, prove) => void (await prove()))

test('accepts / as the target of a sign-in, a provider and a reset link', async () => {
  const { person, userId } = await app.signedIn()
  const callbackURL = '/'
  expect((await app.browser().post('/auth/sign-in/email', { ...person, callbackURL })).body).toMatchObject({ url: '/' })
  expect((await app.browser().post('/auth/sign-in/social', { provider: 'github', callbackURL })).status).toBe(200)
  await app.browser().post('/auth/forget-password', { email: person.email })
  await app.drainMail()
  const { token } = app.outbox.lastTo(person.email)
  const answer = await app.browser().get(`/auth/reset-password?${new URLSearchParams({ token, callbackURL })}`)
  expect([answer.status, answer.headers.get('location')]).toEqual([302, `/?token=${token}`])
  expect(await db.session.count({ where: { userId } })).toBe(2)
})
