import { randomUUID } from 'node:crypto'
import { permissions, type Role, roles, rolesUpTo } from '@floorpass/api/contracts'
import { type Answer, type Browser, outcome } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { assemble, memberIdOf } from '@floorpass/testing/organization'
import type { SignedIn } from '@floorpass/testing/route-samples'
import { defaultRoles, defaultStatements } from 'better-auth/plugins/organization/access'
import { beforeEach, describe, expect, test } from 'vitest'

const app = await createTestApp()
const tabs = {
  owner: await app.signedIn(),
  admin: await app.signedIn(),
  member: await app.signedIn(),
  outsider: await app.signedIn(),
  'owner of another': await app.signedIn(),
}
/** The targets: one member of each role, besides the callers. */
const fellows = { owner: await app.signedIn(), admin: await app.signedIn(), member: await app.signedIn() }
const newcomer = await app.signedIn()
const callers = ['signed out', 'outsider', 'owner of another', 'member', 'admin', 'owner'] as const
type Caller = (typeof callers)[number]

let id: string
/** The member id of the target. */
let memberId: string
beforeEach(async () => {
  await app.db.organization.deleteMany()
  const people = roles.flatMap((role): [SignedIn, Role][] => [
    [tabs[role], role],
    [fellows[role], role],
  ])
  id = (await assemble(app, people)).id
  memberId = await memberIdOf(app, id, fellows.member)
  await assemble(app, [[tabs['owner of another'], 'owner']])
})

const browserOf = (caller: Caller): Browser => (caller === 'signed out' ? app.browser() : tabs[caller])
const roleOf = (caller: Caller): Role | null => roles.find((role) => role === caller) ?? null
const everything = async () =>
  JSON.stringify(
    await app.db.$transaction([app.db.organization.findMany(), app.db.member.findMany(), app.db.invitation.findMany()]),
  )
const invited = (role: Role) =>
  app.db.invitation.create({
    data: {
      organizationId: id,
      email: 'invited@example.test',
      role,
      secretHash: randomUUID(),
      expiresAt: new Date(Date.now() + 1e6),
    },
  })

type Duty = {
  name: string
  /** The required permission; null when every member may. */
  needs: readonly [resource: 'organization' | 'member' | 'invitation', action: string] | null
  /** The error code for a member without the permission. */
  refusal?: string
  /** The error code for outsiders, if it differs. */
  outside?: string
  call: (tab: Browser) => Promise<Answer>
}
const query = (path: string) => (tab: Browser) => tab.get(`/auth/organization/${path}?organizationId=${id}`)
const send = (path: string, fields: () => object | Promise<object>) => async (tab: Browser) =>
  tab.post(`/auth/organization/${path}`, await fields())

const duties: Duty[] = [
  { name: 'get', needs: null, call: query('get') },
  { name: 'list-members', needs: null, call: query('list-members') },
  { name: 'get-active-member', needs: null, call: query('get-active-member') },
  { name: 'get-active-member-role', needs: null, call: query('get-active-member-role') },
  {
    name: 'has-permission',
    needs: null,
    call: send('has-permission', () => ({ organizationId: id, permissions: { ac: ['read'] } })),
  },
  { name: 'set-active', needs: null, call: send('set-active', () => ({ organizationId: id })) },
  { name: 'leave', needs: null, call: send('leave', () => ({ organizationId: id })) },
  {
    name: 'update',
    needs: ['organization', 'update'],
    refusal: 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION',
    call: send('update', () => ({ organizationId: id, data: { name: 'Changed' } })),
  },
  {
    name: 'delete',
    needs: ['organization', 'delete'],
    refusal: 'YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION',
    call: send('delete', () => ({ organizationId: id })),
  },
  {
    name: 'member/add',
    needs: ['member', 'create'],
    refusal: 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER',
    call: send('member/add', () => ({ organizationId: id, userId: newcomer.userId, role: 'member' })),
  },
  {
    name: 'member/remove',
    needs: ['member', 'delete'],
    refusal: 'YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER',
    call: send('member/remove', () => ({ organizationId: id, memberIdOrEmail: fellows.member.person.email })),
  },
  {
    name: 'member/update-role',
    needs: ['member', 'update'],
    refusal: 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER',
    call: send('member/update-role', () => ({
      organizationId: id,
      memberId,
      role: 'admin',
    })),
  },
  {
    name: 'invite-member',
    needs: ['invitation', 'create'],
    refusal: 'YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION',
    call: send('invite-member', () => ({ organizationId: id, email: 'new@example.test', role: 'member' })),
  },
  {
    name: 'list-invitations',
    needs: ['invitation', 'create'],
    refusal: 'YOU_ARE_NOT_ALLOWED_TO_LIST_INVITATIONS',
    call: query('list-invitations'),
  },
  {
    name: 'list-activity',
    needs: ['organization', 'update'],
    refusal: 'ROLE_REQUIRED',
    call: query('list-activity'),
  },
  {
    name: 'cancel-invitation',
    needs: ['invitation', 'cancel'],
    refusal: 'YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION',
    outside: 'INVITATION_NOT_FOUND',
    call: send('cancel-invitation', async () => ({
      invitationId: (await app.db.organization.count({ where: { id } })) > 0 ? (await invited('member')).id : randomUUID(),
    })),
  },
]

const allows = (role: Role, needs: Duty['needs']) =>
  needs === null || (permissions[role][needs[0]] as readonly string[]).includes(needs[1])

function expected(caller: Caller, { needs, refusal, outside = 'ORGANIZATION_NOT_FOUND' }: Duty) {
  if (caller === 'signed out') return [401, 'UNAUTHORIZED']
  const role = roleOf(caller)
  if (role === null) return [400, outside]
  return allows(role, needs) ? [200, undefined] : [403, refusal]
}

describe.each(duties)('T125: $name', (duty) => {
  test.each(callers)('by %s', async (caller) => {
    const before = await everything()
    const answer = await duty.call(browserOf(caller))
    const wanted = expected(caller, duty)
    expect(outcome(answer)).toEqual(wanted)
    if (wanted[0] !== 200 && duty.name !== 'cancel-invitation') expect(await everything()).toBe(before)
  })

  test('T10: an unknown organization and a foreign one get the same answer', async () => {
    const theirs = await duty.call(tabs.outsider)
    id = randomUUID()
    const none = await duty.call(tabs.outsider)
    expect([none.status, none.body]).toEqual([theirs.status, theirs.body])
  })
})

const pairs = roles.flatMap((caller) => roles.map((role) => ({ caller, role })))
const triples = pairs.flatMap(({ caller, role }) => roles.map((to) => ({ caller, role, to })))
const reaches = (caller: Role, role: Role) => rolesUpTo(caller).includes(role)

describe('T131: no member gives or takes a role above their own', () => {
  test.each(triples)('$caller makes $role $to', async ({ caller, role, to }) => {
    const memberId = await memberIdOf(app, id, fellows[role])
    const answer = await tabs[caller].post('/auth/organization/member/update-role', { organizationId: id, memberId, role: to })
    const isAllowed = allows(caller, ['member', 'update']) && reaches(caller, role) && reaches(caller, to)
    expect(outcome(answer)).toEqual(isAllowed ? [200, undefined] : [403, 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER'])
    expect((await app.db.member.findUniqueOrThrow({ where: { id: memberId } })).role).toBe(isAllowed ? to : role)
  })

  test.each(pairs)('$caller makes themselves $role', async ({ caller, role }) => {
    const memberId = await memberIdOf(app, id, tabs[caller])
    const answer = await tabs[caller].post('/auth/organization/member/update-role', { organizationId: id, memberId, role })
    const isAllowed = allows(caller, ['member', 'update']) && reaches(caller, role)
    expect(outcome(answer)).toEqual(isAllowed ? [200, undefined] : [403, 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER'])
  })

  test.each(pairs)('$caller removes $role', async ({ caller, role }) => {
    const fields = { organizationId: id, memberIdOrEmail: await memberIdOf(app, id, fellows[role]) }
    const isAllowed = allows(caller, ['member', 'delete']) && reaches(caller, role)
    expect(outcome(await tabs[caller].post('/auth/organization/member/remove', fields))).toEqual(
      isAllowed ? [200, undefined] : [403, 'YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER'],
    )
  })

  test.each(pairs)('$caller adds a new $role', async ({ caller, role }) => {
    const fields = { organizationId: id, userId: newcomer.userId, role }
    const isAllowed = allows(caller, ['member', 'create']) && reaches(caller, role)
    // An owner must have accepted: one is invited, never added.
    const allowed = role === 'owner' ? [403, 'MEMBER_HAS_NOT_ACCEPTED'] : [200, undefined]
    expect(outcome(await tabs[caller].post('/auth/organization/member/add', fields))).toEqual(
      isAllowed ? allowed : [403, 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER'],
    )
  })

  test.each(pairs)('$caller invites a $role, and resends after a higher role did', async ({ caller, role }) => {
    const fields = { organizationId: id, email: 'new@example.test', role }
    const refusal = allows(caller, ['invitation', 'create'])
      ? 'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE'
      : 'YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION'
    const isAllowed = allows(caller, ['invitation', 'create']) && reaches(caller, role)
    const wanted = isAllowed ? [200, undefined] : [403, refusal]
    expect(outcome(await tabs[caller].post('/auth/organization/invite-member', fields))).toEqual(wanted)
    await app.db.invitation.deleteMany()
    await tabs.owner.post('/auth/organization/invite-member', fields)
    const lower = { ...fields, role: 'member', resend: true }
    expect(outcome(await tabs[caller].post('/auth/organization/invite-member', lower))).toEqual(wanted)
  })

  test.each(pairs)('$caller sees and cancels an invitation for $role', async ({ caller, role }) => {
    const invitation = await invited(role)
    const isAllowed = allows(caller, ['invitation', 'cancel']) && reaches(caller, role)
    const { body } = await tabs[caller].get(`/auth/organization/get?organizationId=${id}`)
    expect((body as { invitations: unknown[] }).invitations).toHaveLength(isAllowed ? 1 : 0)
    const list = await tabs[caller].get(`/auth/organization/list-invitations?organizationId=${id}`)
    if (list.status === 200) expect(list.body).toHaveLength(isAllowed ? 1 : 0)
    expect(outcome(await tabs[caller].post('/auth/organization/cancel-invitation', { invitationId: invitation.id }))).toEqual(
      isAllowed ? [200, undefined] : [403, 'YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION'],
    )
  })
})

describe('has-permission', () => {
  const questions = Object.entries(defaultStatements).flatMap(([resource, actions]) =>
    actions.map((action) => ({ resource, action })),
  )
  test.each(roles)("answers for a %s like better-auth's own table", async (role) => {
    for (const { resource, action } of questions) {
      const asked = { [resource]: [action] }
      const { body } = await tabs[role].post('/auth/organization/has-permission', { organizationId: id, permissions: asked })
      expect([asked, body]).toEqual([asked, { error: null, success: defaultRoles[role].authorize(asked as never).success }])
    }
  })

  test('needs every permission asked for, and is false for none and for unknown ones', async () => {
    const ask = async (asked: object) =>
      (await tabs.admin.post('/auth/organization/has-permission', { organizationId: id, permissions: asked })).body
    const [yes, no] = [
      { error: null, success: true },
      { error: null, success: false },
    ]
    expect(await ask({ organization: ['update'], member: ['create', 'delete'] })).toEqual(yes)
    for (const asked of [
      {},
      { organization: [] },
      { organization: ['update', 'delete'] },
      { organization: ['update'], unknown: ['update'] },
      { constructor: ['name'] },
      { toString: ['length'] },
      { organization: ['length'] },
    ])
      expect([asked, await ask(asked)]).toEqual([asked, no])
  })
})

test('T136: a revoked role has no effect from the next call on', async () => {
  const update = () => tabs.admin.post('/auth/organization/update', { organizationId: id, data: { name: 'Again' } })
  expect((await update()).status).toBe(200)
  const memberId = await memberIdOf(app, id, tabs.admin)
  await tabs.owner.post('/auth/organization/member/update-role', { organizationId: id, memberId, role: 'member' })
  expect((await update()).code).toBe('YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION')
})
