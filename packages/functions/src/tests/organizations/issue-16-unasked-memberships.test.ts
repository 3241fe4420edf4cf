import { randomUUID } from 'node:crypto'
import { type Answer, outcome } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { assemble, found, memberIdOf, roleOf } from '@floorpass/testing/organization'
import type { SignedIn } from '@floorpass/testing/route-samples'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import { afterEach, describe, expect, test } from 'vitest'

const app = await createTestApp()
const limit = [403, 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS']
const notAccepted = [403, 'MEMBER_HAS_NOT_ACCEPTED']
const times = <Result>(count: number, work: (round: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, round) => work(round)))
const create = (tab: SignedIn, slug: string = randomUUID()) => tab.post('/auth/organization/create', { name: 'Own', slug })
const add = (owner: SignedIn, organizationId: string, { userId }: SignedIn, role = 'member') =>
  owner.post('/auth/organization/member/add', { organizationId, userId, role })
const post = (tab: SignedIn, path: string, fields: object) => tab.post(`/auth/organization/${path}`, fields)
const membershipsOf = async ({ userId }: SignedIn) =>
  (await app.db.member.findMany({ where: { userId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] })).map(
    ({ organizationId }) => organizationId,
  )
/** Adds the victim to this many organizations of one owner, without asking. */
const unasked = async (owner: SignedIn, victim: SignedIn, count: number) => {
  const ids: string[] = []
  for (let round = 0; round < count; round += 1) {
    const { id } = await assemble(app, [[owner, 'owner']])
    expect((await add(owner, id, victim)).status).toBe(200)
    ids.push(id)
  }
  return ids
}
const invited = async (guest: SignedIn) => {
  const owner = await app.signedIn()
  const { id } = await found(owner)
  const { body } = await post(owner, 'invite-member', { organizationId: id, email: guest.person.email, role: 'member' })
  return { owner, id, invitationId: (body as { id: string }).id }
}

afterEach(() => {
  expect(app.warnings()).toEqual([])
})

describe('five memberships that a user never accepted', () => {
  test.each(['create', 'accept-invitation'] as const)('leave room to %s: the newest one ends', async (path) => {
    const [owner, victim] = [await app.signedIn(), await app.signedIn()]
    const ids = await unasked(owner, victim, 5)
    const own = path === 'create' ? { name: 'Own', slug: randomUUID() } : { invitationId: (await invited(victim)).invitationId }
    expect((await post(victim, path, own)).status).toBe(200)
    const left = await membershipsOf(victim)
    expect([left.slice(0, 4), left.length]).toEqual([ids.slice(0, 4), 5])

    const organizationId = ids[4] ?? ''
    const dropped = { organizationId, action: 'drop-membership' }
    const orderBy = { actorId: { sort: 'asc', nulls: 'first' } } as const
    expect(await app.db.auditEvent.findMany({ where: dropped, orderBy })).toMatchObject([
      { userId: victim.userId, actorId: null, details: { role: 'member' } },
      { userId: owner.userId, actorId: victim.userId, details: { role: 'member' } },
    ])
    await app.drainMail()
    const mails = app.outbox.to(victim.person.email).filter(({ text }) => text.includes('You hadn’t accepted'))
    expect(mails.map(({ subject }) => subject)).toEqual(['Your membership in Desk on Floorpass has ended'])
  })

  test('all end before the limit applies, and accepted ones never end', async () => {
    const [owner, victim] = [await app.signedIn(), await app.signedIn()]
    await unasked(owner, victim, 5)
    const own: string[] = []
    for (let round = 0; round < 5; round += 1) own.push((await found(victim)).id)
    expect(await membershipsOf(victim)).toEqual(own)
    expect(outcome(await create(victim))).toEqual(limit)
    expect(outcome(await post(victim, 'accept-invitation', { invitationId: (await invited(victim)).invitationId }))).toEqual(
      limit,
    )
    expect(await membershipsOf(victim)).toEqual(own)
  })

  test("stay when the user's request is refused", async () => {
    const [owner, victim] = [await app.signedIn(), await app.signedIn()]
    const ids = await unasked(owner, victim, 5)
    const { slug } = await found(await app.signedIn())
    expect((await create(victim, slug)).code).toBe('ORGANIZATION_ALREADY_EXISTS')
    expect((await post(victim, 'accept-invitation', { invitationId: randomUUID() })).code).toBe('INVITATION_NOT_FOUND')
    expect(await membershipsOf(victim)).toEqual(ids)
    expect(await app.db.auditEvent.count({ where: { userId: victim.userId, action: 'drop-membership' } })).toBe(0)
  })

  test('stay when another member adds the user to a sixth', async () => {
    const [owner, victim] = [await app.signedIn(), await app.signedIn()]
    const ids = await unasked(owner, victim, 5)
    const { id } = await assemble(app, [[owner, 'owner']])
    expect(outcome(await add(owner, id, victim))).toEqual(limit)
    expect(await membershipsOf(victim)).toEqual(ids)
  })
})

describe('a membership is accepted', () => {
  const ways = {
    'by pressing Accept': (tab: SignedIn, organizationId: string) => post(tab, 'accept-membership', { organizationId }),
    'by opening the organization': (tab: SignedIn, organizationId: string) => post(tab, 'set-active', { organizationId }),
    'by a change inside it': (tab: SignedIn, organizationId: string) =>
      post(tab, 'invite-member', { organizationId, email: app.person().email, role: 'member' }),
  }
  test.each(Object.entries(ways))('%s: it then stays and has one audit event', async (_, accept) => {
    const [owner, member] = [await app.signedIn(), await app.signedIn()]
    const { id } = await assemble(app, [[owner, 'owner']])
    expect((await add(owner, id, member, 'admin')).body).toMatchObject({ acceptedAt: null })
    const shown = async () => (await member.get('/auth/organization/list')).body
    expect(await shown()).toMatchObject([{ id, acceptedAt: null }])
    expect((await accept(member, id)).status).toBe(200)
    expect(await shown()).toMatchObject([{ id, acceptedAt: expect.any(String) }])
    expect((await post(member, 'accept-membership', { organizationId: id })).status).toBe(200)
    expect(await app.db.auditEvent.count({ where: { userId: member.userId, action: 'accept-membership' } })).toBe(1)

    await unasked(owner, member, 4)
    for (let round = 0; round < 4; round += 1) await found(member)
    expect(outcome(await create(member))).toEqual(limit)
    expect((await membershipsOf(member))[0]).toBe(id)
  })

  test('not by viewing the organization, nor by leaving it', async () => {
    const [owner, member] = [await app.signedIn(), await app.signedIn()]
    const [id] = await unasked(owner, member, 1)
    for (const path of ['get', 'list-members', 'get-active-member'])
      expect((await member.get(`/auth/organization/${path}?organizationId=${id}`)).status).toBe(200)
    expect((await member.get('/auth/export-data')).body).toMatchObject({ organizations: [{ id, acceptedAt: null }] })
    expect((await post(member, 'leave', { organizationId: id })).body).toMatchObject({ acceptedAt: null })
    const events = await app.db.auditEvent.findMany({ where: { organizationId: id ?? '', userId: member.userId } })
    expect(events.map(({ action }) => action).sort()).toEqual(['add-member', 'leave-organization'])
  })

  test('only by its user: to everyone else the organization does not exist', async () => {
    const [owner, other] = [await app.signedIn(), await app.signedIn()]
    const { id } = await found(owner)
    for (const organizationId of [id, randomUUID()])
      expect(outcome(await post(other, 'accept-membership', { organizationId }))).toEqual([400, 'ORGANIZATION_NOT_FOUND'])
    for (const fields of [{}, { organizationId: null }, { organizationId: 7 }, { organizationId: '' }])
      expect(outcome(await post(other, 'accept-membership', fields))).toEqual([400, 'VALIDATION_ERROR'])
  })
})

describe('a member who has not accepted', () => {
  test('cannot be made or added as an owner before accepting', async () => {
    const [owner, member] = [await app.signedIn(), await app.signedIn()]
    const { id } = await assemble(app, [[owner, 'owner']])
    expect(outcome(await add(owner, id, member, 'owner'))).toEqual(notAccepted)
    expect(await roleOf(app, id, member)).toBeNull()
    await add(owner, id, member)
    const promote = async (role: string) =>
      outcome(await post(owner, 'member/update-role', { organizationId: id, memberId: await memberIdOf(app, id, member), role }))
    expect(await promote('admin')).toEqual([200, undefined])
    expect(await promote('owner')).toEqual(notAccepted)
    expect(await roleOf(app, id, member)).toBe('admin')
    await post(member, 'accept-membership', { organizationId: id })
    expect(await promote('owner')).toEqual([200, undefined])
  })

  test('does not count as an owner: the last owner who accepted cannot leave, step down or delete the account', async () => {
    const [owner, member] = [await app.signedIn(), await app.signedIn()]
    const { id, slug } = await assemble(app, [
      [owner, 'owner'],
      [member, 'owner'],
    ])
    // The version before acceptance existed may have left this state.
    await app.db.member.updateMany({ where: { organizationId: id, userId: member.userId }, data: { acceptedAt: null } })
    const only = [400, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER']
    expect(outcome(await post(owner, 'leave', { organizationId: id }))).toEqual(only)
    const own = { organizationId: id, memberIdOrEmail: owner.person.email }
    expect(outcome(await post(owner, 'member/remove', own))).toEqual(only)
    const down = { organizationId: id, memberId: await memberIdOf(app, id, owner), role: 'admin' }
    expect(outcome(await post(owner, 'member/update-role', down))).toEqual([
      400,
      'YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER',
    ])
    const deletion = await owner.post('/auth/delete-user', { password: owner.person.password })
    expect([...outcome(deletion), JSON.stringify(deletion.body).includes(slug)]).toEqual([...only, true])
    expect(await roleOf(app, id, owner)).toBe('owner')
    expect((await post(member, 'leave', { organizationId: id })).status).toBe(200)
  })
})

describe('at the same time', () => {
  test("ten creations and ten additions leave the user's own five organizations", async () => {
    const victim = await app.signedIn()
    const owners = await times(10, () => app.signedIn())
    const theirs: { id: string }[] = []
    for (const owner of owners) theirs.push(await found(owner))
    const answers = await times(20, (round) =>
      round % 2 === 0 ? create(victim) : add(owners[(round - 1) / 2] as SignedIn, theirs[(round - 1) / 2]?.id ?? '', victim),
    )
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(outcome(answer)).toEqual(limit)
    const created = answers.filter(({ status }, round) => status === 200 && round % 2 === 0)
    expect(created).toHaveLength(5)
    const own = created.map(({ body }) => (body as { id: string }).id)
    expect((await membershipsOf(victim)).sort()).toEqual(own.sort())
    expect(await app.db.organization.count({ where: { members: { none: {} } } })).toBe(0)
  })

  test('ten creations end only the memberships that the user never accepted', async () => {
    const [owner, victim] = [await app.signedIn(), await app.signedIn()]
    const kept = [(await found(victim)).id, (await found(victim)).id]
    await unasked(owner, victim, 3)
    const answers = await times(10, () => create(victim))
    const left = await membershipsOf(victim)
    expect([answers.filter(({ status }) => status === 200).length, left.length, left.slice(0, 2)]).toEqual([3, 5, kept])
    expect(await app.db.auditEvent.count({ where: { userId: victim.userId, action: 'drop-membership' } })).toBe(3)
  })

  /** Two users, each invited to the organization of the other one's newest membership. */
  const crossing = async () => {
    const [owner, one, other] = [await app.signedIn(), await app.signedIn(), await app.signedIn()]
    for (const tab of [one, other]) await unasked(await app.signedIn(), tab, 4)
    const [first, second] = [await found(owner), await found(owner)]
    await add(owner, first.id, one)
    await add(owner, second.id, other)
    const join = async (tab: SignedIn, organizationId: string) => {
      const { body } = await post(owner, 'invite-member', { organizationId, email: tab.person.email, role: 'member' })
      return () => post(tab, 'accept-invitation', { invitationId: (body as { id: string }).id })
    }
    return { owner, one, other, first, second, oneJoins: await join(one, second.id), otherJoins: await join(other, first.id) }
  }

  test('joining, changing and deleting organizations while memberships end causes no error', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { owner, one, other, first, second, oneJoins, otherJoins } = await crossing()
      const answers = await Promise.all([
        oneJoins(),
        otherJoins(),
        post(owner, 'update', { organizationId: first.id, data: { name: 'Other' } }),
        post(owner, 'delete', { organizationId: second.id }),
        create(other),
      ])
      for (const { status } of answers) expect(status).toBeLessThan(500)
      for (const tab of [one, other]) expect((await membershipsOf(tab)).length).toBeLessThanOrEqual(5)
    }
  })

  test.runIf(testDatabase.kind === 'postgres')(
    'two users never deadlock when each joins the organization that drops the other',
    async () => {
      const { first, second, one, other, oneJoins, otherJoins } = await crossing()
      const answers: Promise<Answer>[] = []
      await app.db.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT id FROM organizations WHERE id = ${first.id} FOR UPDATE`
        for (const join of [otherJoins, oneJoins]) {
          answers.push(join())
          await waitForLocks(app, answers.length)
        }
      })
      expect((await Promise.all(answers)).map(outcome)).toEqual([
        [200, undefined],
        [200, undefined],
      ])
      expect([await roleOf(app, second.id, one), await roleOf(app, first.id, other)]).toEqual(['member', 'member'])
      expect([await roleOf(app, first.id, one), await roleOf(app, second.id, other)]).toEqual([null, null])
    },
  )
})
