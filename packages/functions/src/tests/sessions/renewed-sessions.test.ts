import { scan, setUpTwoFactor, switchOnTwoFactor } from '@floorpass/testing/authenticator'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
type Tab = Awaited<ReturnType<typeof app.signedIn>>

const renewals: [string, (tab: Tab) => Promise<(tab: Tab) => Promise<{ status: number }>>][] = [
  [
    'change-password',
    async () => (tab) =>
      tab.post('/auth/change-password', { currentPassword: tab.person.password, newPassword: 'violet harbor ladder' }),
  ],
  [
    'enabling two-factor',
    async (tab) => {
      const { totpURI } = await setUpTwoFactor(tab, tab.person.password)
      return () => tab.post('/auth/two-factor/verify', { code: scan(totpURI).code() })
    },
  ],
  [
    'disabling two-factor',
    async (tab) => {
      await switchOnTwoFactor(tab, tab.person.password)
      return () => tab.post('/auth/two-factor/disable', { password: tab.person.password })
    },
  ],
  [
    'confirming a new email',
    async (tab) => {
      const { email: newEmail } = app.person()
      await tab.post('/auth/change-email', { newEmail })
      await app.drainMail()
      return () => tab.post('/auth/verify-email', { token: app.outbox.lastTo(newEmail).token })
    },
  ],
]

describe.each(renewals)('a session renewed by %s', (name, prepare) => {
  test('has a new token and keeps its sign-in time and organization', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const renew = await prepare(tab)
    const { body } = await tab.post('/auth/organization/create', { name: 'Desk', slug: `desk-${tab.userId}` })
    const { id } = body as { id: string }
    expect((await tab.post('/auth/organization/set-active', { organizationId: id })).status).toBe(200)
    const before = await app.db.session.findFirstOrThrow({ where: { userId: tab.userId } })
    clock.advance(60)
    expect((await renew(tab)).status).toBe(200)
    const [after, ...others] = await app.db.session.findMany({ where: { userId: tab.userId } })
    expect(others).toEqual([])
    expect(after).toMatchObject({ activeOrganizationId: id })
    expect(after?.id).not.toBe(before.id)
    // Only change-password counts as a new sign-in.
    const isSignIn = name === 'change-password'
    expect(after?.createdAt.getTime()).toBe(before.createdAt.getTime() + (isSignIn ? 60_000 : 0))
    expect((await tab.get('/auth/get-session')).body).toMatchObject({ session: { activeOrganizationId: id } })
  })
})
