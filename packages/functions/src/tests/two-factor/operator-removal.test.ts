import { adminOf, type CommandResult } from '@floorpass/testing/admin-command'
import { setUpTwoFactor } from '@floorpass/testing/authenticator'
import type { Answer, Browser } from '@floorpass/testing/browser'
import { createTestApp, type SignedIn } from '@floorpass/testing/create-test-app'
import { addPasskey } from '@floorpass/testing/passkeys'
import { beginSignIn, signInWithFactor } from '@floorpass/testing/sign-in'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Owner = { tab: SignedIn; send: () => Promise<Answer> }

async function completeWith(pick: (factor: Awaited<ReturnType<typeof signInWithFactor>>) => string | undefined): Promise<Owner> {
  const factor = await signInWithFactor(app)
  const waiting: Browser = await beginSignIn(app, factor.person)
  const input = { code: pick(factor), trustDevice: true }
  return { tab: factor.tab, send: () => waiting.post('/auth/two-factor/verify', input) }
}

async function useInSession(path: string): Promise<Owner> {
  const { tab, authenticator } = await signInWithFactor(app)
  return { tab, send: () => tab.post(path, { code: authenticator.code(1) }) }
}

/** What the owner sends, and its answer after the removal. */
const verifications: Record<string, { prepare: () => Promise<Owner>; refusal: string }> = {
  'a code that completes a sign-in': {
    prepare: () => completeWith(({ authenticator }) => authenticator.code(1)),
    refusal: 'INVALID_TWO_FACTOR_COOKIE',
  },
  'a backup code that completes a sign-in': {
    prepare: () => completeWith(({ backupCodes }) => backupCodes[0]),
    refusal: 'INVALID_TWO_FACTOR_COOKIE',
  },
  'a code that reauthenticates a session': {
    prepare: () => useInSession('/auth/reauthenticate'),
    refusal: 'TOTP_NOT_ENABLED',
  },
  'a code that replaces the backup codes': {
    prepare: () => useInSession('/auth/two-factor/generate-backup-codes'),
    refusal: 'TWO_FACTOR_NOT_ENABLED',
  },
  'the first code of an app beside a passkey': {
    async prepare() {
      const tab = await app.signedIn()
      const { password } = tab.person
      await addPasskey(tab, createSoftwareAuthenticator())
      await tab.post('/auth/two-factor/enable', { method: 'passkey', password })
      const { authenticator } = await setUpTwoFactor(tab, password)
      return { tab, send: () => tab.post('/auth/two-factor/verify', { code: authenticator.code() }) }
    },
    refusal: 'TOTP_NOT_ENABLED',
  },
}

const remove = (userId: string): Promise<CommandResult> =>
  adminOf(app)('disable-two-factor', userId, '--reason', 'lost phone, called back', '--yes')

/**
 * Runs both at once, `first` first. On PostgreSQL `first` stops at the rows that `hold` locks until `second` waits too, or ends.
 * The embedded database runs one transaction after the other anyway.
 */
async function race<First, Second>(
  hold: 'users' | 'sessions',
  userId: string,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  if (testDatabase.kind !== 'postgres') return [await first(), await second()]
  let answers: [Promise<First>, Promise<Second>] | undefined
  await app.db.$transaction(async (tx) => {
    if (hold === 'users') await tx.$queryRaw`SELECT id FROM users WHERE id = ${userId} FOR NO KEY UPDATE`
    else await tx.$queryRaw`SELECT id FROM sessions WHERE user_id = ${userId} FOR UPDATE`
    const begun = first()
    await waitForLocks(app)
    answers = [begun, second()]
    await Promise.race([waitForLocks(app, 2), answers[1]])
  })
  return Promise.all(answers as [Promise<First>, Promise<Second>])
}

/** Nothing is left of the second factor, in any table. */
async function expectRemoved(userId: string) {
  const { db } = app
  const owned = { where: { userId } }
  expect(await db.user.findUnique({ where: { id: userId } })).toMatchObject({ twoFactorEnabled: false })
  expect(await db.twoFactor.count(owned)).toBe(0)
  expect(await db.backupCode.count(owned)).toBe(0)
  expect(await db.trustedDevice.count(owned)).toBe(0)
  expect(await db.verification.count({ where: { userId, purpose: 'two-factor', usedAt: null } })).toBe(0)
  const raised = { OR: [{ secondFactorAt: { not: null } }, { trustedDeviceId: { not: null } }] }
  expect(await db.session.count({ where: { userId, ...raised } })).toBe(0)
}

describe.each(Object.entries(verifications))('%s, beside the removal of two-factor by an operator', (_, { prepare, refusal }) => {
  test('is accepted before the removal, which leaves nothing of it', async () => {
    const { tab, send } = await prepare()
    const [answer, removed] = await race('users', tab.userId, send, () => remove(tab.userId))
    expect([answer.status, removed.code]).toEqual([200, 0])
    await expectRemoved(tab.userId)
  })

  test('is refused after the removal, and opens no session', async () => {
    const { tab, send } = await prepare()
    // As after a sign-in with a code. The removal waits for this row when it has deleted the factor.
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: { secondFactorAt: new Date() } })
    const sessions = await app.db.session.findMany({ where: { userId: tab.userId }, select: { id: true } })
    const [removed, answer] = await race('sessions', tab.userId, () => remove(tab.userId), send)
    expect([removed.code, answer.code]).toEqual([0, refusal])
    await expectRemoved(tab.userId)
    expect(await app.db.session.findMany({ where: { userId: tab.userId }, select: { id: true } })).toEqual(sessions)
  })
})
