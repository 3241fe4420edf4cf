import { createFloorpassClient, describeError } from '@floorpass/client'
import type { Browser } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const clientIn = (tab: Browser) => createFloorpassClient({ baseUrl: app.baseUrl, fetch: tab.fetch })
const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    (error: unknown) => describeError(error),
  )

describe('the client helper', () => {
  test('verifies an email', async () => {
    const { email, password } = await app.signUp()
    const tab = app.browser()
    expect(await clientIn(tab).verifyEmail({ token: app.outbox.lastTo(email).token })).toEqual({ status: true, user: null })
    expect((await tab.post('/auth/sign-in/email', { email, password })).status).toBe(200)
  })

  test('updates the profile of the signed-in user, and signs out', async () => {
    const tab = await app.signedIn()
    const client = clientIn(tab)
    expect(await client.updateProfile({ name: 'Zoë', riskLevel: 'moderate', tradingEnabled: true })).toEqual({ status: true })
    expect((await client.trpc.sessions.get.query())?.user).toMatchObject({
      name: 'Zoë',
      riskLevel: 'moderate',
      tradingEnabled: true,
    })
    expect(await client.signOut()).toEqual({ success: true })
    expect(tab.cookies.has('local-floorpass_session')).toBe(false)
    expect(await client.trpc.sessions.get.query()).toBeNull()
    expect(await client.signOut()).toEqual({ success: true })
  })

  test('joins an organization and sets the active one', async () => {
    const [founder, tab] = [await app.signedIn(), await app.signedIn()]
    const { trpc } = clientIn(founder)
    const { id } = await trpc.organizations.create.mutate({ name: 'Desk', slug: 'client-helper' })
    await trpc.organizations.invite.mutate({ email: tab.person.email, role: 'admin' })
    await app.drainMail()
    const client = clientIn(tab)
    const invitationId = app.outbox.lastTo(tab.person.email).token
    expect(await client.acceptInvitation({ invitationId })).toMatchObject({ member: { organizationId: id, role: 'admin' } })
    expect(await client.setActiveOrganization({ organizationId: null })).toBeNull()
    expect(await client.setActiveOrganization({ organizationSlug: 'client-helper' })).toMatchObject({ id, members: [{}, {}] })
    expect((await client.trpc.sessions.get.query())?.session.activeOrganizationId).toBe(id)
    expect(await refusalOf(client.acceptInvitation({ invitationId }))).toMatchObject({
      code: 'INVITATION_NOT_FOUND',
      status: 400,
    })
  })

  test('keeps the session cookie over /trpc as over /auth', async () => {
    const { email, password } = await app.verified()
    const tab = app.browser()
    const { trpc } = clientIn(tab)
    const answer = await trpc.signIn.email.mutate({ email, password })
    expect(answer).toMatchObject({ user: { email } })
    expect(tab.cookies.get('local-floorpass_session')).toMatch(/^[\w-]{43}$/)
    expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { email } })
    await tab.post('/auth/sign-out')
    expect(await trpc.sessions.get.query()).toBeNull()
  })

  test('batches simultaneous calls into one request and returns each result', async () => {
    const tab = await app.signedIn()
    let requests = 0
    const counting: typeof fetch = (input, init) => {
      requests += 1
      return tab.fetch(input, init)
    }
    const { trpc } = createFloorpassClient({ baseUrl: app.baseUrl, fetch: counting })
    const [one, other] = await Promise.all([trpc.sessions.get.query(), trpc.sessions.require.query()])
    expect([requests, one?.user.id, other.user.id]).toEqual([1, tab.userId, tab.userId])
  })

  test('returns the code, message, status and fields of an error', async () => {
    const client = clientIn(app.browser())
    expect(await refusalOf(client.updateProfile({ name: 'Eve' }))).toEqual({
      code: 'UNAUTHORIZED',
      message: 'Unauthorized',
      status: 401,
      fields: null,
    })
    expect(await refusalOf(client.verifyEmail({ token: 'nonsense' }))).toEqual({
      code: 'INVALID_TOKEN',
      message: 'Invalid token',
      status: 400,
      fields: null,
    })
    expect(
      await refusalOf(client.trpc.signIn.signUp.mutate({ name: '', email: 'no-at-sign', password: 'plum kettle orbit' })),
    ).toEqual({
      code: 'VALIDATION_ERROR',
      message: '[body.name] Enter a name; [body.email] Invalid email address',
      status: 400,
      fields: { name: 'Enter a name', email: 'Invalid email address' },
    })
    expect(await refusalOf(client.trpc.signIn.signUp.mutate({ ...app.person(), password: 'short' }))).toMatchObject({
      code: 'PASSWORD_TOO_SHORT',
      fields: { password: 'Use at least 8 characters' },
    })
    const tab = await app.signedIn()
    expect(await refusalOf(clientIn(tab).updateProfile({ emailVerified: true }))).toMatchObject({
      code: 'FIELD_NOT_ALLOWED',
      status: 400,
    })
  })

  test('returns no error details when the call never reached the service', async () => {
    const offline = createFloorpassClient({ baseUrl: app.baseUrl, fetch: () => Promise.reject(new TypeError('fetch failed')) })
    expect(await refusalOf(offline.signOut())).toBeNull()
    expect(describeError(new Error('something else'))).toBeNull()
    expect(describeError(undefined)).toBeNull()
  })

  test('T50: a page of another site cannot change anything', async () => {
    const tab = await app.signedIn()
    const foreign = app.browser({ origin: 'https://evil.test' })
    foreign.cookies.set('local-floorpass_session', tab.cookies.get('local-floorpass_session') ?? '')
    await expect(clientIn(foreign).signOut()).rejects.toThrow()
    await expect(clientIn(foreign).updateProfile({ name: 'Eve' })).rejects.toThrow()
    expect((await tab.get('/auth/get-session')).body).toMatchObject({ user: { name: tab.person.name } })
  })
})
