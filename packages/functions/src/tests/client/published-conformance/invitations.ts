import { outcome } from '@floorpass/testing/browser'
import { activeOrganizationOf, found } from '@floorpass/testing/organization'
import { describe, expect, test } from 'vitest'
import { app, differs } from './suite.ts'

type Tab = Awaited<ReturnType<typeof app.signedIn>>
type Invitation = { id: string; email: string; role: string; status: string; organizationName?: string }
const call = (tab: Tab, path: string, body: object = {}) => tab.post(`/auth/organization/${path}`, body)
const answerTo = (tab: Tab, verb: 'accept' | 'reject', invitationId: string) => call(tab, `${verb}-invitation`, { invitationId })
const own = async (tab: Tab) => (await tab.get('/auth/organization/list-user-invitations')).body as Invitation[]

const owner = await app.signedIn()
const desk = await found(owner, { name: 'Desk' })
const invite = (fields: object) => call(owner, 'invite-member', { organizationId: desk.id, role: 'member', ...fields })
async function invited(fields: object = {}) {
  const tab = await app.signedIn()
  const answer = await invite({ email: tab.person.email, ...fields })
  expect(answer.status).toBe(200)
  return { tab, email: tab.person.email, invitation: answer.body as Invitation }
}

describe('an invitation (plugins/organization/organization, routes/crud-invites)', () => {
  test.each(['owner', 'admin', 'member'])('as %s is accepted by the invited person only', async (role) => {
    const { tab, email, invitation } = await invited({ role })
    expect(invitation).toMatchObject({ email, role, status: 'pending', createdAt: expect.stringMatching(/^\d{4}-.*Z$/) })
    expect((await answerTo(tab, 'accept', '123')).status).toBe(400)
    expect((await answerTo(owner, 'accept', invitation.id)).status).toBe(403)
    expect((await answerTo(tab, 'accept', invitation.id)).body).toMatchObject({ invitation: { status: 'accepted' } })
    expect(await activeOrganizationOf(tab)).toBe(desk.id)
  })

  test('is made once, whatever the case of the email, and not for a member', async () => {
    const { tab, email, invitation } = await invited()
    for (const spelling of [email, email.toUpperCase()])
      expect(outcome(await invite({ email: spelling }))).toEqual([400, 'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION'])
    await answerTo(tab, 'accept', invitation.id)
    for (const spelling of [email, email.toUpperCase()])
      expect(outcome(await invite({ email: spelling }))).toEqual([400, 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION'])
  })

  test('to an email in mixed case reaches the account in lower case', async () => {
    const tab = await app.signedIn()
    const invitation = (await invite({ email: tab.person.email.toUpperCase() })).body as Invitation
    expect(invitation.email).toBe(tab.person.email)
    expect((await own(tab)).map(({ id }) => id)).toEqual([invitation.id])
    expect((await answerTo(tab, 'accept', invitation.id)).body).toMatchObject({ invitation: { status: 'accepted' } })
  })

  test('sent again keeps its id and stays the only one', async () => {
    const { email, invitation } = await invited()
    expect((await invite({ email, resend: true })).body).toMatchObject({ id: invitation.id, status: 'pending' })
    const { body } = await owner.get(`/auth/organization/list-invitations?organizationId=${desk.id}`)
    expect((body as Invitation[]).filter((one) => one.email === email && one.status === 'pending')).toHaveLength(1)
  })

  test('needs a known role, and an owner to make an owner', async () => {
    const { tab, invitation } = await invited({ role: 'admin' })
    await answerTo(tab, 'accept', invitation.id)
    const { email } = app.person()
    expect(outcome(await invite({ email, role: 'super-invalid-role-123' }))).toEqual([400, 'ROLE_NOT_FOUND'])
    const byAdmin = await call(tab, 'invite-member', { organizationId: desk.id, email, role: 'owner' })
    expect(outcome(byAdmin)).toEqual([403, 'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE'])
    expect((await invite({ email, role: 'admin' })).status).toBe(200)
  })

  differs('Several roles for one member', 'names one role', async () => {
    expect(outcome(await invite({ email: app.person().email, role: ['admin', 'member'] }))).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('is listed for its person with the name of the organization, while it is open', async () => {
    const { tab, invitation } = await invited()
    expect(await own(tab)).toMatchObject([{ id: invitation.id, organizationName: 'Desk', status: 'pending' }])
    const { tab: second, invitation: declined } = await invited()
    expect((await answerTo(second, 'reject', declined.id)).body).toMatchObject({ invitation: { status: 'rejected' } })
    await answerTo(tab, 'accept', invitation.id)
    expect([await own(tab), await own(second)]).toEqual([[], []])
  })

  test('may be declined after it expired', async () => {
    const { tab, invitation } = await invited()
    await app.db.invitation.update({ where: { id: invitation.id }, data: { expiresAt: new Date(Date.now() - 1000) } })
    expect((await answerTo(tab, 'accept', invitation.id)).code).toBe('INVITATION_NOT_FOUND')
    expect((await answerTo(tab, 'reject', invitation.id)).body).toMatchObject({ invitation: { status: 'rejected' } })
  })

  test('is one of a hundred open ones at most', async () => {
    const tab = await app.signedIn()
    const { id } = await found(tab)
    const row = { organizationId: id, role: 'member', expiresAt: new Date(Date.now() + 3_600_000) }
    const emails = Array.from({ length: 100 }, (_, index) => `open-${index}@example.test`)
    await app.db.invitation.createMany({ data: emails.map((email) => ({ ...row, email, secretHash: `${id} ${email}` })) })
    const answer = await call(tab, 'invite-member', { email: app.person().email, role: 'member' })
    expect(outcome(answer)).toEqual([403, 'INVITATION_LIMIT_REACHED'])
  })

  test('needs a verified email, to list, read, accept and decline', async () => {
    const { tab, invitation } = await invited()
    await app.db.user.update({ where: { id: tab.userId }, data: { emailVerified: false } })
    const answers = [
      await tab.get('/auth/organization/list-user-invitations'),
      await tab.get(`/auth/organization/get-invitation?id=${invitation.id}`),
      await answerTo(tab, 'accept', invitation.id),
      await answerTo(tab, 'reject', invitation.id),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  })
})
