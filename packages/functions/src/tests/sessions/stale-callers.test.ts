import { createBrowser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { found } from '@floorpass/testing/organization'
import { runBeforePasswordCheck } from '@floorpass/testing/password-check'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createEdge } from '../../edge.ts'

// No test sends a request to this provider.
const app = await createTestApp({ GOOGLE_CLIENT_ID: 'floorpass', GOOGLE_CLIENT_SECRET: 'a secret of tests' })
const newPassword = 'violet harbor 77 quince'

/** Runs `work` after the session is read and before the user is locked, until the test ends. */
function runBeforeLimit(limit: string, work: () => Promise<unknown>): void {
  const { limiter } = app.service.deps
  onTestFinished(() => {
    app.service.deps.limiter = limiter
  })
  app.service.deps.limiter = {
    ...limiter,
    async consume(name, key) {
      if (name === limit) await work()
      return limiter.consume(name, key)
    },
  }
}

describe('a session that changes during a request', () => {
  test('shows a page the change that the page itself made', async () => {
    const edge = createEdge(app.service, async (_request, { api }) => {
      await api.sessions.get()
      await api.profile.update({ name: 'Changed' })
      return Response.json((await api.sessions.get())?.user.name)
    })
    const { cookies } = await app.signedIn()
    const tab = createBrowser(edge, app.baseUrl)
    for (const [name, value] of cookies) tab.cookies.set(name, value)
    expect((await tab.get('/settings/profile')).body).toBe('Changed')
  })

  test.each(['/auth/change-password', '/auth/delete-user'])(
    'changes nothing with %s when the session ended meanwhile',
    async (path) => {
      const tab = await app.signedIn()
      runBeforePasswordCheck(app, async () => {
        await app.db.session.deleteMany({ where: { userId: tab.userId } })
      })
      const { password } = tab.person
      const answer = await tab.post(path, { password, currentPassword: password, newPassword })
      expect([answer.status, answer.code]).toEqual([401, 'UNAUTHORIZED'])
      expect((await app.browser().post('/auth/sign-in/email', tab.person)).status).toBe(200)
    },
  )

  test.each(['/auth/change-password', '/auth/delete-user', '/auth/two-factor/enable', '/auth/reauthenticate'])(
    'does nothing with %s when the password changed meanwhile',
    async (path) => {
      const tab = await app.signedIn()
      const newHash = await app.service.deps.passwords.hash('changed by the owner 31')
      runBeforePasswordCheck(app, () =>
        app.db.account.updateMany({ where: { userId: tab.userId }, data: { passwordHash: newHash } }),
      )
      const { password } = tab.person
      const digest = async () => [
        await app.db.session.findMany({ where: { userId: tab.userId } }),
        await app.db.twoFactor.count({ where: { userId: tab.userId } }),
        await app.db.account.findMany({ where: { userId: tab.userId }, select: { passwordHash: true } }),
      ]
      const [sessions] = await digest()
      const answer = await tab.post(path, { password, currentPassword: password, newPassword })
      expect([answer.status, answer.code]).toEqual([400, 'INVALID_PASSWORD'])
      expect(await digest()).toEqual([sessions, 0, [{ passwordHash: newHash }]])
    },
  )

  test('lets delete-user clear and notify the current email, when the email changed meanwhile', async () => {
    const tab = await app.signedIn()
    const { email: moved } = app.person()
    const host = await app.signedIn()
    const { id: organizationId } = await found(host)
    expect((await host.post('/auth/organization/invite-member', { email: moved, role: 'member', organizationId })).status).toBe(
      200,
    )
    runBeforePasswordCheck(app, () => app.db.user.update({ where: { id: tab.userId }, data: { email: moved } }))
    const answer = await tab.post('/auth/delete-user', { password: tab.person.password })
    expect(answer.status).toBe(200)
    expect(await app.db.invitation.count({ where: { organizationId } })).toBe(0)
    await app.drainMail()
    expect(app.outbox.lastTo(moved).subject).toMatch(/deleted/)
  })

  // The check of the session and the write are sent together.
  test.each([
    ['revoked', (userId: string) => app.db.session.deleteMany({ where: { userId } })],
    [
      'expired',
      (userId: string) => app.db.session.updateMany({ where: { userId }, data: { expiresAt: new Date(Date.now() - 1) } }),
    ],
    [
      'suspended with its user',
      (userId: string) => app.db.user.update({ where: { id: userId }, data: { suspendedAt: new Date() } }),
    ],
    ['deleted with its user', (userId: string) => app.db.user.delete({ where: { id: userId } })],
  ])('changes and records nothing with update-user when it is %s between the read and the lock', async (_, endSession) => {
    const tab = await app.signedIn()
    runBeforeLimit('update-user:user', () => endSession(tab.userId))
    const answer = await tab.post('/auth/update-user', { name: 'Changed' })
    expect([answer.status, answer.code]).toEqual([401, 'UNAUTHORIZED'])
    expect(await app.db.user.count({ where: { id: tab.userId, name: 'Changed' } })).toBe(0)
    expect(await app.db.auditEvent.count({ where: { userId: tab.userId, action: 'update-user' } })).toBe(0)
  })

  test('starts nothing with link-social when the session ended meanwhile', async () => {
    const tab = await app.signedIn()
    runBeforeLimit('social:ip', () => app.db.user.delete({ where: { id: tab.userId } }))
    expect((await tab.post('/auth/link-social', { provider: 'google' })).code).toBe('UNAUTHORIZED')
  })

  test.runIf(testDatabase.kind === 'postgres')('is renewed while the sweep deletes its trusted device', async () => {
    const tab = await app.signedIn()
    const { email: newEmail } = app.person()
    expect((await tab.post('/auth/change-email', { newEmail })).status).toBe(200)
    await app.drainMail()
    const { token } = app.outbox.lastTo(newEmail)
    const { id } = await app.db.trustedDevice.create({
      data: { userId: tab.userId, secretHash: `device of ${tab.userId}`, expiresAt: new Date() },
    })
    await app.db.session.updateMany({ where: { userId: tab.userId }, data: { trustedDeviceId: id } })
    let answer: ReturnType<typeof tab.post> | undefined
    await app.db.$transaction(async (tx) => {
      await tx.trustedDevice.delete({ where: { id } })
      answer = tab.post('/auth/verify-email', { token })
      await waitForLocks(app)
    })
    expect((await answer)?.status).toBe(200)
    expect(await app.db.session.findMany({ where: { userId: tab.userId } })).toMatchObject([{ trustedDeviceId: null }])
  })

  test.runIf(testDatabase.kind === 'postgres')(
    'waits for the lock in update-user, and does not block the deletion of the account',
    async () => {
      const tab = await app.signedIn()
      const threeDaysAgo = new Date(Date.now() - 3 * 24 * 3600 * 1000)
      await app.db.session.updateMany({ where: { userId: tab.userId }, data: { createdAt: threeDaysAgo } })
      let answer: ReturnType<typeof tab.post> | undefined
      await app.db.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT id FROM users WHERE id = ${tab.userId} FOR NO KEY UPDATE`
        answer = tab.post('/auth/update-user', { tradingEnabled: true })
        await waitForLocks(app)
        await tx.user.delete({ where: { id: tab.userId } })
      })
      expect((await answer)?.code).toBe('UNAUTHORIZED')
    },
  )

  test('gets a new token when an email is confirmed, but no new authentication time', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const newEmail = app.person().email
    await tab.post('/auth/change-email', { newEmail })
    await app.drainMail()
    clock.advance(10 * 60)
    const former = tab.cookies.get('local-floorpass_session')
    expect((await tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })).status).toBe(200)
    expect(tab.cookies.get('local-floorpass_session')).not.toBe(former)
    clock.advance(5 * 60)
    expect((await tab.post('/auth/update-user', { tradingEnabled: true })).status).toBe(200)
    await tab.post('/auth/update-user', { tradingEnabled: false })
    clock.advance(1)
    expect((await tab.post('/auth/update-user', { tradingEnabled: true })).code).toBe('SESSION_NOT_FRESH')
  })
})
