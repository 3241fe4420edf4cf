import { randomUUID } from 'node:crypto'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { createAuthClient } from 'better-auth/client'
import { organizationClient } from 'better-auth/client/plugins'
import { expect, test } from 'vitest'

const app = await createTestApp()

/** better-auth's own client with its organization plugin, in a signed-in browser. */
async function signedInClient() {
  const tab = await app.signedIn()
  const client = createAuthClient({
    baseURL: app.baseUrl,
    basePath: '/auth',
    plugins: [organizationClient()],
    fetchOptions: { customFetchImpl: tab.fetch },
  })
  return { tab, client, organization: client.organization }
}

/** The data of a call. Fails the test on an error. */
async function dataOf<Data>(call: Promise<{ data: Data | null; error: unknown }>): Promise<NonNullable<Data>> {
  const { data, error } = await call
  expect(error).toBeNull()
  return data as NonNullable<Data>
}

const newestToken = async (email: string) => {
  await app.drainMail()
  return app.outbox.lastTo(email).token
}

test("better-auth's organization client completes every call", async () => {
  const [ada, bob, eve] = [await signedInClient(), await signedInClient(), await signedInClient()]
  const slug = randomUUID()

  expect(await dataOf(ada.organization.checkSlug({ slug }))).toEqual({ status: true })
  const created = await dataOf(ada.organization.create({ name: 'Desk', slug, metadata: { floor: 3 } }))
  expect(created).toMatchObject({ name: 'Desk', slug, metadata: { floor: 3 }, members: [{ role: 'owner' }] })
  expect(created.createdAt).toBeInstanceOf(Date)
  expect((await ada.organization.checkSlug({ slug })).error).toMatchObject({ code: 'ORGANIZATION_SLUG_ALREADY_TAKEN' })
  expect((await ada.client.getSession()).data?.session).toMatchObject({ activeOrganizationId: created.id })
  expect(await dataOf(ada.organization.list())).toMatchObject([{ id: created.id, slug }])
  expect(await dataOf(ada.organization.update({ data: { name: 'Desk 2' } }))).toMatchObject({ name: 'Desk 2' })

  const first = await dataOf(ada.organization.inviteMember({ email: bob.tab.person.email, role: 'member' }))
  expect(first).toMatchObject({ email: bob.tab.person.email, role: 'member', status: 'pending', organizationId: created.id })
  expect(first.expiresAt).toBeInstanceOf(Date)
  const again = await ada.organization.inviteMember({ email: bob.tab.person.email, role: 'member', resend: true })
  expect(again.data?.id).toBe(first.id)
  expect(await dataOf(ada.organization.listInvitations())).toMatchObject([{ id: first.id }])
  expect(await dataOf(bob.organization.listUserInvitations())).toMatchObject([{ id: first.id, organizationName: 'Desk 2' }])
  const shown = await dataOf(bob.organization.getInvitation({ query: { id: first.id } }))
  expect(shown).toMatchObject({ organizationName: 'Desk 2', organizationSlug: slug, inviterEmail: ada.tab.person.email })
  expect((await eve.organization.acceptInvitation({ invitationId: first.id })).error).toMatchObject({ status: 403 })
  const accepted = await dataOf(bob.organization.acceptInvitation({ invitationId: await newestToken(bob.tab.person.email) }))
  expect(accepted).toMatchObject({ invitation: { status: 'accepted' }, member: { role: 'member', userId: bob.tab.userId } })

  const second = await dataOf(ada.organization.inviteMember({ email: eve.tab.person.email, role: ['admin'] }))
  expect(await dataOf(eve.organization.rejectInvitation({ invitationId: second.id }))).toMatchObject({ member: null })
  const third = await dataOf(ada.organization.inviteMember({ email: eve.tab.person.email, role: 'admin' }))
  expect(await dataOf(ada.organization.cancelInvitation({ invitationId: third.id }))).toMatchObject({ status: 'canceled' })

  expect(await dataOf(bob.organization.getActiveMember())).toMatchObject({ role: 'member', user: { id: bob.tab.userId } })
  expect(await dataOf(bob.organization.getActiveMemberRole())).toEqual({ role: 'member' })
  expect(await dataOf(bob.organization.listMembers({ query: { limit: 1, sortBy: 'createdAt' } }))).toMatchObject({
    members: [{ userId: ada.tab.userId }],
    total: 2,
  })
  const permissions = { member: ['create' as const] }
  for (const { organization, role } of [
    { organization: ada.organization, role: 'owner' as const },
    { organization: bob.organization, role: 'member' as const },
  ]) {
    const locally = organization.checkRolePermission({ role, permissions })
    expect(await dataOf(organization.hasPermission({ permissions }))).toEqual({ error: null, success: locally })
  }

  const memberId = accepted.member.id
  expect(await dataOf(ada.organization.updateMemberRole({ memberId, role: 'admin' }))).toMatchObject({ role: 'admin' })
  const refused = await bob.organization.updateMemberRole({ memberId, role: 'owner' })
  expect(refused.error).toMatchObject({ status: 403, code: 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER' })
  // The client turns any chain of names into a path; these names are from the specification.
  const rows = ada.organization as unknown as Record<
    string,
    Record<string, (input: object) => Promise<{ data: unknown; error: unknown }>>
  >
  expect(await dataOf(rows.member?.updateRole?.({ memberId, role: 'member' }) as never)).toMatchObject({ role: 'member' })
  const added = await dataOf(rows.member?.add?.({ userId: eve.tab.userId, role: 'member' }) as never)
  expect(added).toMatchObject({ userId: eve.tab.userId })
  expect(await dataOf(ada.organization.removeMember({ memberIdOrEmail: eve.tab.person.email }))).toMatchObject({
    member: { userId: eve.tab.userId },
  })

  const full = await dataOf(ada.organization.getFullOrganization())
  expect(full.members.map(({ role }) => role)).toEqual(['owner', 'member'])
  expect(full.invitations).toHaveLength(3)
  expect(await ada.organization.setActive({ organizationId: null })).toEqual({ data: null, error: null })
  expect(await ada.organization.getFullOrganization()).toEqual({ data: null, error: null })
  expect(await dataOf(ada.organization.setActive({ organizationSlug: slug }))).toMatchObject({ id: created.id })
  const theirs = await eve.organization.getFullOrganization({ query: { organizationId: created.id } })
  expect(theirs.error).toMatchObject({ status: 400, code: 'ORGANIZATION_NOT_FOUND' })

  expect(await dataOf(bob.organization.leave({ organizationId: created.id }))).toMatchObject({ userId: bob.tab.userId })
  expect((await bob.client.getSession()).data?.session).toMatchObject({ activeOrganizationId: null })
  expect((await ada.organization.leave({ organizationId: created.id })).error).toMatchObject({
    status: 400,
    code: 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
  })
  expect(await dataOf(ada.organization.delete({ organizationId: created.id }))).toMatchObject({ id: created.id })
  expect(await ada.organization.list()).toEqual({ data: [], error: null })
})
