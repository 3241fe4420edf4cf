import { isDeepStrictEqual } from 'node:util'
import { switchOnTwoFactor } from '@floorpass/testing/authenticator'
import type { Browser } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { addPasskey } from '@floorpass/testing/passkeys'
import { createSoftwareAuthenticator } from '@floorpass/testing/software-authenticator'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

type Tab = Awaited<ReturnType<typeof app.signedIn>>

const remove = (tab: Browser, fields: Record<string, unknown> = {}) => tab.post('/auth/delete-user', fields)
const linkFor = async (tab: Tab) => {
  const answer = await remove(tab)
  expect([answer.status, answer.body]).toEqual([200, { success: true, message: 'Verification email sent' }])
  await app.drainMail()
  return app.outbox.lastTo(tab.person.email)
}
const again = async ({ person: { email, password } }: Tab) => {
  const tab = app.browser()
  expect((await tab.post('/auth/sign-in/email', { email, password })).status).toBe(200)
  return tab
}
const exists = async ({ userId }: Tab) => (await app.db.user.count({ where: { id: userId } })) === 1
const deleted = [200, { success: true, message: 'User deleted' }]
const lastOwner = (...slugs: string[]) => ({
  code: 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
  message: `You cannot leave the organization as the only owner: ${slugs.join(', ')}`,
})

const organization = async (members: [Tab, 'owner' | 'admin' | 'member'][]) => {
  const slug = crypto.randomUUID()
  return app.db.organization.create({
    data: { name: slug, slug, members: { create: members.map(([{ userId }, role]) => ({ userId, role, slot: 1 })) } },
  })
}

describe('delete-user', () => {
  test('T103: the password deletes the account and all its data', async () => {
    const tab = await app.signedIn()
    const other = await again(tab)
    const { userId, person } = tab
    const { id: organizationId } = await organization([
      [await app.signedIn(), 'owner'],
      [tab, 'member'],
    ])
    await app.db.trustedDevice.create({
      data: { userId, secretHash: `device of ${userId}`, expiresAt: new Date(Date.now() + 1e6) },
    })
    await app.db.twoFactor.create({ data: { userId, secretSealed: 'sealed' } })
    await app.db.backupCode.create({ data: { userId, codeHash: 'hash' } })
    await app.db.invitation.create({
      data: {
        organizationId,
        email: person.email,
        role: 'member',
        secretHash: 'to the deleted',
        expiresAt: new Date(Date.now() + 1e6),
      },
    })
    await app.db.invitation.create({
      data: {
        organizationId,
        email: 'friend@example.test',
        role: 'member',
        secretHash: 'by the deleted',
        inviterId: userId,
        expiresAt: new Date(Date.now() + 1e6),
      },
    })
    await tab.post('/auth/change-email', { newEmail: app.person().email })
    await app.drainMail()

    const answer = await remove(tab, { password: person.password })
    expect([answer.status, answer.body]).toEqual(deleted)
    expect(answer.setCookies).toEqual([
      'local-floorpass_session=; HttpOnly; Max-Age=0; Path=/; SameSite=Lax',
      'floorpass_sign_in_method=; HttpOnly; Max-Age=0; Path=/; SameSite=Lax',
    ])
    expect((await other.get('/auth/get-session')).body).toBeNull()
    expect((await other.get('/auth/list-sessions')).code).toBe('UNAUTHORIZED')
    await app.drainMail()
    expect(app.outbox.lastTo(person.email).subject).toBe('Your Floorpass account was deleted')
    // Events keep the id, and nothing else of the person, for 30 days.
    const events = JSON.stringify(await app.db.outboxEvent.findMany({ omit: { id: true } }))
    for (const trace of [person.email, `"${person.name}"`]) expect(events).not.toContain(trace)
    await app.db.outboxEvent.deleteMany()
    const rows = JSON.stringify(await app.readAllRows())
    for (const trace of [userId, person.email, `"${person.name}"`]) expect(rows).not.toContain(trace)
    expect(await app.db.organization.count({ where: { id: organizationId } })).toBe(1)
  })

  test('the emailed link deletes the account once, in the signed-in browser', async () => {
    const tab = await app.signedIn()
    const { link, token, subject } = await linkFor(tab)
    expect([subject, link.origin + link.pathname]).toEqual([
      'Confirm that you want to delete your Floorpass account',
      `${app.baseUrl}/delete-account`,
    ])
    expect(await exists(tab)).toBe(true)
    const answer = await remove(tab, { token })
    expect([answer.status, answer.body]).toEqual(deleted)
    expect(await exists(tab)).toBe(false)
  })

  test('the password of an account with a passkey sends the link, also for three days after the passkey was removed', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    await addPasskey(tab, createSoftwareAuthenticator())
    const { password } = tab.person
    const sent = [200, { success: true, message: 'Verification email sent' }]
    const answerTo = async (fields: Record<string, unknown>) => {
      const { status, body } = await remove(tab, fields)
      return [status, body]
    }
    expect(await answerTo({ password })).toEqual(sent)
    const { id } = await app.db.passkey.findFirstOrThrow({ where: { userId: tab.userId } })
    expect((await tab.post('/auth/passkey/delete-passkey', { id })).status).toBe(200)
    clock.advance(72 * 3600 - 1)
    expect(await answerTo({ password })).toEqual(sent)
    expect(await exists(tab)).toBe(true)
    expect((await remove(tab, { password: 'something else' })).code).toBe('INVALID_PASSWORD')
    clock.advance(1)
    expect(await answerTo({ password })).toEqual(deleted)
  })

  test('the password of an account with an authenticator app sends the link', async () => {
    const tab = await app.signedIn()
    const { password } = tab.person
    await switchOnTwoFactor(tab, password)
    await app.db.user.update({ where: { id: tab.userId }, data: { heldUntil: null } })
    expect((await remove(tab, { password })).body).toEqual({ success: true, message: 'Verification email sent' })
    expect(await exists(tab)).toBe(true)
  })

  test('the password and the link delete an account with a passkey', async () => {
    const tab = await app.signedIn()
    await addPasskey(tab, createSoftwareAuthenticator())
    await remove(tab, { password: tab.person.password })
    await app.drainMail()
    const { token } = app.outbox.lastTo(tab.person.email)
    expect((await remove(tab, { password: tab.person.password, token })).body).toEqual(deleted[1])
  })

  test('the link alone, without a session, deletes nothing', async () => {
    const tab = await app.signedIn()
    const { token } = await linkFor(tab)
    expect((await remove(app.browser(), { token })).code).toBe('UNAUTHORIZED')
    expect(await exists(tab)).toBe(true)
  })

  test('the link of another user deletes neither account and stays valid', async () => {
    const [tab, other] = [await app.signedIn(), await app.signedIn()]
    const { token } = await linkFor(tab)
    const answer = await remove(other, { token })
    expect([answer.status, answer.code]).toEqual([400, 'INVALID_TOKEN'])
    expect([await exists(tab), await exists(other)]).toEqual([true, true])
    expect((await remove(tab, { token })).status).toBe(200)
  })

  test('T103, T92: of twenty uses at once, one deletes the account and none causes an error', async () => {
    const tab = await app.signedIn()
    const { token } = await linkFor(tab)
    const cookie = `local-floorpass_session=${tab.cookies.get('local-floorpass_session')}`
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => app.browser().post('/auth/delete-user', { token }, { headers: { cookie } })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, code } of answers) if (status !== 200) expect(['INVALID_TOKEN', 'UNAUTHORIZED']).toContain(code)
    await app.drainMail()
    expect(app.outbox.to(tab.person.email).filter(({ subject }) => subject.endsWith('was deleted'))).toHaveLength(1)
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('of ten password confirmations at once, one deletes the account and none causes an error', async () => {
    const tab = await app.signedIn()
    const cookie = `local-floorpass_session=${tab.cookies.get('local-floorpass_session')}`
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        app.browser().post('/auth/delete-user', { password: tab.person.password }, { headers: { cookie } }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, code } of answers)
      if (status !== 200) expect(['UNAUTHORIZED', 'CREDENTIAL_ACCOUNT_NOT_FOUND']).toContain(code)
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('T94: the link works for exactly an hour, and a newer link voids it', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    const older = await linkFor(tab)
    const newer = await linkFor(tab)
    expect((await remove(tab, { token: older.token })).code).toBe('INVALID_TOKEN')
    clock.advance(3600)
    expect((await remove(tab, { token: newer.token })).code).toBe('SESSION_NOT_FRESH')
    expect((await tab.post('/auth/reauthenticate', { password: tab.person.password })).status).toBe(200)
    expect((await remove(tab, { token: newer.token })).code).toBe('TOKEN_EXPIRED')
    expect(await exists(tab)).toBe(true)
  })

  test('T47: the password is enough, however old the session is', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(6 * 24 * 3600)
    expect((await remove(tab, { password: 'something else' })).code).toBe('INVALID_PASSWORD')
    expect((await remove(tab, { password: tab.person.password })).status).toBe(200)
    expect(await exists(tab)).toBe(false)
  })

  test('T47: requesting and following the link needs a sign-in or reauthentication within the last 15 minutes', async () => {
    const clock = holdClock()
    const tab = await app.signedIn()
    clock.advance(15 * 60)
    const { token } = await linkFor(tab)
    clock.advance(1)
    for (const fields of [{}, { token }]) {
      const answer = await remove(tab, fields)
      expect([answer.status, answer.code]).toEqual([403, 'SESSION_NOT_FRESH'])
    }
    expect(await exists(tab)).toBe(true)
    expect((await tab.post('/auth/reauthenticate', { password: tab.person.password })).status).toBe(200)
    expect((await remove(tab, { token })).status).toBe(200)
    expect(await exists(tab)).toBe(false)
  })

  test('a wrong password deletes nothing, even with a valid link', async () => {
    const tab = await app.signedIn()
    const { token } = await linkFor(tab)
    for (const fields of [{ password: 'something else' }, { password: 'something else', token }]) {
      const answer = await remove(tab, fields)
      expect([answer.status, answer.code]).toEqual([400, 'INVALID_PASSWORD'])
    }
    expect((await remove(tab, { password: tab.person.password, token: 'nonsense' })).code).toBe('INVALID_TOKEN')
    expect(await exists(tab)).toBe(true)
  })

  test('a user without a password gets CREDENTIAL_ACCOUNT_NOT_FOUND, and deletes with a link', async () => {
    const tab = await app.signedIn()
    await app.db.account.deleteMany({ where: { userId: tab.userId } })
    expect((await remove(tab, { password: 'something else' })).code).toBe('CREDENTIAL_ACCOUNT_NOT_FOUND')
    expect((await remove(tab, { token: (await linkFor(tab)).token })).status).toBe(200)
  })

  test('T121: an id in the body never deletes another user, and a non-text field is 400', async () => {
    const [tab, other] = [await app.signedIn(), await app.signedIn()]
    for (const fields of [{ password: 7 }, { password: [] }, { token: {} }, { token: '' }, { password: '' }])
      expect((await remove(tab, fields)).code).toBe('VALIDATION_ERROR')
    for (const callbackURL of ['https://evil.test', '//evil.test'])
      expect((await remove(tab, { password: tab.person.password, callbackURL })).code).toBe('INVALID_CALLBACK_URL')
    await remove(tab, { password: tab.person.password, userId: other.userId, id: other.userId })
    expect([await exists(tab), await exists(other)]).toEqual([false, true])
  })

  test('the email is free afterwards, and a new sign-up creates another account', async () => {
    const tab = await app.signedIn()
    await remove(tab, { password: tab.person.password })
    const later = await app.signedIn(tab.person)
    expect(later.userId).not.toBe(tab.userId)
  })
})

test('T173: no simultaneous request of the user gets a 500 while the account is deleted', async () => {
  for (let round = 0; round < 8; round += 1) {
    const tab = await app.signedIn()
    const { email, password } = tab.person
    const elsewhere = app.browser()
    const answers = await Promise.all([
      remove(tab, { password }),
      elsewhere.post('/auth/sign-in/email', { email, password }),
      app.browser().post('/auth/sign-in/email', { email, password: 'not the password' }),
      tab.get('/auth/export-data'),
      tab.get('/auth/list-sessions'),
      tab.post('/auth/update-user', { name: 'Changed' }),
      app.browser().post('/auth/forget-password', { email }),
    ])
    for (const { status, code } of answers) expect([200, 401], code).toContain(status)
    expect(await app.db.user.count({ where: { email } })).toBe(0)
  }
  expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
})

describe('the last owner of an organization', () => {
  test('T130: cannot delete the account by password or link, and the link stays valid', async () => {
    const tab = await app.signedIn()
    const { id, slug } = await organization([
      [tab, 'owner'],
      [await app.signedIn(), 'admin'],
    ])
    const { token } = await linkFor(tab)
    for (const fields of [{ password: tab.person.password }, { token }]) {
      const answer = await remove(tab, fields)
      expect([answer.status, answer.body, answer.setCookies]).toEqual([400, lastOwner(slug), []])
    }
    expect(await exists(tab)).toBe(true)
    await app.db.organization.delete({ where: { id } })
    expect((await remove(tab, { token })).status).toBe(200)
  })

  test('T129: two owners who delete their accounts at once leave one owner', async () => {
    const watcher = await app.signedIn()
    for (let round = 0; round < 8; round += 1) {
      const owners = [await app.signedIn(), await app.signedIn()]
      const others: [Tab, 'member'] = [watcher, 'member']
      await app.db.member.deleteMany({ where: { userId: watcher.userId } })
      const { id, slug } = await organization([...owners.map((owner): [Tab, 'owner'] => [owner, 'owner']), others])
      const answers = await Promise.all(owners.map((owner) => remove(owner, { password: owner.person.password })))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ body }) => isDeepStrictEqual(body, lastOwner(slug)))).toHaveLength(1)
      expect(await app.db.member.count({ where: { organizationId: id, role: 'owner' } })).toBe(1)
    }
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})

describe('the organizations of a deleted account', () => {
  test('T130: an organization without other members is deleted too, with its open invitation', async () => {
    const tab = await app.signedIn()
    const { id } = await organization([[tab, 'owner']])
    await tab.post('/auth/organization/invite-member', { organizationId: id, email: 'later@example.test', role: 'owner' })
    expect((await remove(tab, { password: tab.person.password })).status).toBe(200)
    expect(await app.db.organization.count({ where: { id } })).toBe(0)
    expect(await app.db.invitation.count({ where: { email: 'later@example.test' } })).toBe(0)
  })

  test('T130: the refusal lists every organization that would lose its owner, and nothing is deleted', async () => {
    const tab = await app.signedIn()
    const made = []
    for (const others of [1, 1, 0]) {
      const response = await tab.post('/auth/organization/create', { name: 'Desk', slug: crypto.randomUUID() })
      const { id, slug } = response.body as { id: string; slug: string }
      made.push({ id, slug })
      if (others > 0)
        await tab.post('/auth/organization/member/add', {
          userId: (await app.signedIn()).userId,
          role: 'admin',
          organizationId: id,
        })
    }
    const slugs = made.slice(0, 2).map(({ slug }) => slug)
    const answer = await remove(tab, { password: tab.person.password })
    expect([answer.status, answer.body]).toEqual([400, lastOwner(...slugs)])
    expect(await app.db.organization.count({ where: { id: { in: made.map(({ id }) => id) } } })).toBe(3)
  })

  test('invitations that the user sent are canceled', async () => {
    const tab = await app.signedIn()
    const { id } = await organization([
      [tab, 'owner'],
      [await app.signedIn(), 'owner'],
    ])
    const friend = await app.signedIn()
    await tab.post('/auth/organization/invite-member', { organizationId: id, email: friend.person.email, role: 'owner' })
    await app.drainMail()
    const { token } = app.outbox.lastTo(friend.person.email)
    expect((await remove(tab, { password: tab.person.password })).status).toBe(200)
    expect((await friend.post('/auth/organization/accept-invitation', { invitationId: token })).code).toBe('INVITATION_NOT_FOUND')
  })

  test('T129: accepting an invitation during the deletion never leaves an organization without an owner', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [tab, friend] = [await app.signedIn(), await app.signedIn()]
      const { id } = await organization([[tab, 'owner']])
      await tab.post('/auth/organization/invite-member', { organizationId: id, email: friend.person.email, role: 'admin' })
      await app.drainMail()
      const { token } = app.outbox.lastTo(friend.person.email)
      const [gone, joined] = await Promise.all([
        remove(tab, { password: tab.person.password }),
        friend.post('/auth/organization/accept-invitation', { invitationId: token }),
      ])
      expect([gone.status === 200, joined.status === 200].sort()).toEqual([false, true])
      const owners = await app.db.member.count({ where: { organizationId: id, role: 'owner' } })
      expect([owners, await app.db.organization.count({ where: { id } })]).toEqual(gone.status === 200 ? [0, 0] : [1, 1])
    }
    expect(app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})

describe('the limits of delete-user', async () => {
  const limited = await createTestApp({ RATE_LIMIT: 'on' })

  test('allow five password attempts and five links an hour', async () => {
    const tab = await limited.signedIn()
    const guesses = await Promise.all(Array.from({ length: 12 }, () => remove(tab, { password: 'wrong guess' })))
    expect(guesses.filter(({ code }) => code === 'INVALID_PASSWORD')).toHaveLength(5)
    const links = await Promise.all(Array.from({ length: 8 }, () => remove(tab)))
    expect(links.filter(({ status }) => status === 200)).toHaveLength(5)
    expect((await remove(tab, { password: tab.person.password })).code).toBe('TOO_MANY_REQUESTS')
  })
})
