import { randomUUID } from 'node:crypto'
import type { Answer, Browser } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { assemble, found, memberIdOf } from '@floorpass/testing/organization'
import type { SignedIn } from '@floorpass/testing/route-samples'
import { testDatabase } from '@floorpass/testing/test-database'
import { waitForLocks } from '@floorpass/testing/waiting-locks'
import { afterEach, describe, expect, test } from 'vitest'

const app = await createTestApp()
const done = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length
const codes = (answers: Answer[]) => new Set(answers.filter(({ status }) => status !== 200).map(({ code }) => code))
const times = <Result>(count: number, work: (round: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, round) => work(round)))
const create = (tab: SignedIn, slug: string = randomUUID()) => tab.post('/auth/organization/create', { name: 'Desk', slug })
const membershipsOf = ({ userId }: SignedIn) => app.db.member.count({ where: { userId } })
const newestToken = async (email: string) => {
  await app.drainMail()
  return app.outbox.lastTo(email).token
}
const limit = 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS'

afterEach(() => {
  expect(app.warnings()).toEqual([])
})

test.runIf(testDatabase.kind === 'postgres')(
  'a new invitation is created when the old one is canceled or deleted during the resend',
  async () => {
    const owner = await app.signedIn()
    const { id: organizationId } = await found(owner)
    const { email } = app.person()
    const invite = { organizationId, email, role: 'member', resend: true }
    for (const end of ['canceled', 'deleted']) {
      expect((await owner.post('/auth/organization/invite-member', invite)).status).toBe(200)
      const { id } = await app.db.invitation.findFirstOrThrow({ where: { organizationId, email, status: 'pending' } })
      let answer: Promise<Answer> | undefined
      await app.db.$transaction(async (tx) => {
        if (end === 'canceled') await tx.invitation.update({ where: { id }, data: { status: 'canceled' } })
        else await tx.invitation.delete({ where: { id } })
        answer = owner.post('/auth/organization/invite-member', invite)
        await waitForLocks(app)
      })
      expect((await answer)?.status, end).toBe(200)
      expect(await app.db.invitation.count({ where: { organizationId, email, status: 'pending' } })).toBe(1)
    }
  },
)

describe('at most five organizations', () => {
  test('T126: twenty simultaneous creations leave exactly five', async () => {
    const tab = await app.signedIn()
    const answers = await times(20, () => create(tab))
    expect([done(answers), codes(answers), await membershipsOf(tab)]).toEqual([5, new Set([limit]), 5])
    expect(await app.db.organization.count({ where: { members: { none: {} } } })).toBe(0)
  })

  test('T127: ten creations and ten additions by others at once leave five creations', async () => {
    const tab = await app.signedIn()
    const owners = await times(10, () => app.signedIn())
    for (const owner of owners) await found(owner)
    const answers = await times(20, (round) =>
      round % 2 === 0
        ? create(tab)
        : (owners[(round - 1) / 2] as SignedIn).post('/auth/organization/member/add', { userId: tab.userId, role: 'member' }),
    )
    // A creation may end an addition that the user never accepted. Nothing ends a creation.
    const created = answers.filter((_, round) => round % 2 === 0)
    expect([done(created), codes(answers), await membershipsOf(tab)]).toEqual([5, new Set([limit]), 5])
  })

  test('refuses one of two invitations accepted at once into the fifth and sixth organization', async () => {
    const tab = await app.signedIn()
    for (let count = 0; count < 4; count += 1) await found(tab)
    const secrets: string[] = []
    for (const owner of [await app.signedIn(), await app.signedIn()]) {
      await found(owner)
      await owner.post('/auth/organization/invite-member', { email: tab.person.email, role: 'member' })
      secrets.push(await newestToken(tab.person.email))
    }
    const answers = await times(2, (round) => tab.post('/auth/organization/accept-invitation', { invitationId: secrets[round] }))
    expect([done(answers), codes(answers), await membershipsOf(tab)]).toEqual([1, new Set([limit]), 5])
  })

  test('T128: simultaneous deletions and creations never exceed the limit', async () => {
    const tab = await app.signedIn()
    const made = [await found(tab), await found(tab), await found(tab), await found(tab), await found(tab)]
    const answers = await times(10, (round) =>
      round % 2 === 0 ? tab.post('/auth/organization/delete', { organizationId: made[round / 2]?.id }) : create(tab),
    )
    expect(codes(answers).size).toBeLessThanOrEqual(1)
    expect(await membershipsOf(tab)).toBe(done(answers) - 5)
    expect(await membershipsOf(tab)).toBeLessThanOrEqual(5)
  })
})

describe('an organization keeps an owner', () => {
  type Act = 'demote the other' | 'remove the other' | 'leave' | 'step down' | 'delete the account'
  const act = async (action: Act, organizationId: string, tab: SignedIn, other: SignedIn) => {
    const idOf = (user: SignedIn) => memberIdOf(app, organizationId, user)
    const post = (path: string, fields: object) => tab.post(`/auth/${path}`, { organizationId, ...fields })
    const prepared: Record<Act, [string, object]> = {
      'demote the other': ['organization/member/update-role', { memberId: await idOf(other), role: 'member' }],
      'remove the other': ['organization/member/remove', { memberIdOrEmail: await idOf(other) }],
      leave: ['organization/leave', {}],
      'step down': ['organization/member/update-role', { memberId: await idOf(tab), role: 'admin' }],
      'delete the account': ['delete-user', { password: tab.person.password }],
    }
    return () => post(...prepared[action])
  }
  const actions: Act[] = ['demote the other', 'remove the other', 'leave', 'step down']
  const pairs = actions.flatMap((first, at) => actions.slice(at).map((second) => ({ first, second })))

  test.each(pairs)('T129: keeps one owner when two act at once, twenty times: $first, $second', async ({ first, second }) => {
    const [ada, bob] = [await app.signedIn(), await app.signedIn()]
    for (let round = 0; round < 20; round += 1) {
      await app.db.organization.deleteMany({ where: { members: { some: { userId: { in: [ada.userId, bob.userId] } } } } })
      const { id } = await assemble(app, [
        [ada, 'owner'],
        [bob, 'owner'],
      ])
      const acts = [await act(first, id, ada, bob), await act(second, id, bob, ada)]
      const answers = await Promise.all((round % 2 === 0 ? acts : acts.reverse()).map((run) => run()))
      // An owner who stepped down can still be demoted or removed by the other.
      expect(done(answers)).toBeGreaterThan(0)
      expect(await app.db.member.count({ where: { organizationId: id, role: 'owner' } })).toBe(1)
    }
  })

  test.each(['demote the other', 'remove the other', 'leave', 'step down', 'delete the account'] as const)(
    'T129: one owner deletes the account while the other acts: %s',
    async (second) => {
      for (let round = 0; round < 6; round += 1) {
        const [ada, bob, member] = [await app.signedIn(), await app.signedIn(), await app.signedIn()]
        const { id } = await assemble(app, [
          [ada, 'owner'],
          [bob, 'owner'],
          [member, 'member'],
        ])
        const acts = [await act('delete the account', id, ada, bob), await act(second, id, bob, ada)]
        const answers = await Promise.all((round % 2 === 0 ? acts : acts.reverse()).map((run) => run()))
        for (const { status } of answers) expect(status).toBeLessThan(500)
        expect(done(answers)).toBeGreaterThan(0)
        expect(await app.db.member.count({ where: { organizationId: id, role: 'owner' } })).toBe(1)
      }
    },
  )

  test('T129: keeps an owner in twenty simultaneous attempts of two owners on each other', async () => {
    const [ada, bob] = [await app.signedIn(), await app.signedIn()]
    const { id } = await assemble(app, [
      [ada, 'owner'],
      [bob, 'owner'],
    ])
    const runs = await times(20, (round) => {
      const action = actions[(round >> 1) % 4] as Act
      return round % 2 === 0 ? act(action, id, ada, bob) : act(action, id, bob, ada)
    })
    const answers = await Promise.all(runs.map((run) => run()))
    for (const { status } of answers) expect(status).toBeLessThan(500)
    expect(await app.db.member.count({ where: { organizationId: id, role: 'owner' } })).toBe(1)
  })
})

describe('one invitation', () => {
  test('used twenty times at once, is accepted once', async () => {
    const [owner, tab] = [await app.signedIn(), await app.signedIn()]
    const { id } = await found(owner)
    await owner.post('/auth/organization/invite-member', { email: tab.person.email, role: 'member' })
    const invitationId = await newestToken(tab.person.email)
    const answers = await times(20, (round) =>
      tab.post(`/auth/organization/${round % 4 === 3 ? 'reject' : 'accept'}-invitation`, { invitationId }),
    )
    expect([done(answers), codes(answers)]).toEqual([1, new Set(['INVITATION_NOT_FOUND'])])
    const { status } = await app.db.invitation.findFirstOrThrow({ where: { organizationId: id } })
    expect(await membershipsOf(tab)).toBe(status === 'accepted' ? 1 : 0)
  })

  test('accepted and canceled at once, ends in one of the two', async () => {
    const [owner, tab] = [await app.signedIn(), await app.signedIn()]
    await found(owner)
    for (let round = 0; round < 8; round += 1) {
      const { body } = await owner.post('/auth/organization/invite-member', { email: tab.person.email, role: 'member' })
      const invitationId = (body as { id: string }).id
      const answers = await Promise.all([
        tab.post('/auth/organization/accept-invitation', { invitationId }),
        owner.post('/auth/organization/cancel-invitation', { invitationId }),
      ])
      expect([done(answers), codes(answers)]).toEqual([1, new Set(['INVITATION_NOT_FOUND'])])
      await app.db.member.deleteMany({ where: { userId: tab.userId } })
    }
  })

  test('sent ten times at once to one email, exists once', async () => {
    const owner = await app.signedIn()
    const { id } = await found(owner)
    const { email } = app.person()
    const answers = await times(10, () => owner.post('/auth/organization/invite-member', { email, role: 'member' }))
    expect([done(answers), codes(answers)]).toEqual([1, new Set(['USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION'])])
    expect(await app.db.invitation.count({ where: { organizationId: id } })).toBe(1)
  })
})

describe.runIf(testDatabase.kind === 'postgres')('an invitation that is resent while an answer to it waits', () => {
  /** Runs the call, and changes the invitation between its read and its lock on the organization. */
  const changedMeanwhile = async (organizationId: string, data: object, call: () => Promise<Answer>) => {
    let answer: Promise<Answer> | undefined
    await app.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT id FROM organizations WHERE id = ${organizationId} FOR UPDATE`
      answer = call()
      await waitForLocks(app)
      await tx.invitation.updateMany({ where: { organizationId, status: 'pending' }, data })
    })
    return answer as Promise<Answer>
  }
  const prepared = async () => {
    const [owner, admin, guest] = [await app.signedIn(), await app.signedIn(), await app.signedIn()]
    const { id } = await found(owner)
    await owner.post('/auth/organization/member/add', { userId: admin.userId, role: 'admin' })
    const { body } = await owner.post('/auth/organization/invite-member', { email: guest.person.email, role: 'member' })
    return { id, admin, guest, invitationId: (body as { id: string }).id, secret: await newestToken(guest.person.email) }
  }

  test.each(['accept', 'reject'])('its former link no longer works to %s it', async (verb) => {
    const { id, guest, secret } = await prepared()
    const answer = await changedMeanwhile(id, { secretHash: randomUUID() }, () =>
      guest.post(`/auth/organization/${verb}-invitation`, { invitationId: secret }),
    )
    expect(answer.code).toBe('INVITATION_NOT_FOUND')
    expect(await app.db.invitation.count({ where: { organizationId: id, status: 'pending' } })).toBe(1)
  })

  test('raised to a higher role, cannot be canceled by an administrator', async () => {
    const { id, admin, invitationId } = await prepared()
    const answer = await changedMeanwhile(id, { role: 'owner' }, () =>
      admin.post('/auth/organization/cancel-invitation', { invitationId }),
    )
    expect(answer.code).toBe('YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION')
  })
})

test('T135: a member added ten times at once exists once', async () => {
  const [owner, tab] = [await app.signedIn(), await app.signedIn()]
  const { id } = await found(owner)
  const answers = await times(10, () => owner.post('/auth/organization/member/add', { userId: tab.userId, role: 'member' }))
  expect([done(answers), codes(answers)]).toEqual([1, new Set(['USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION'])])
  expect(await app.db.member.count({ where: { organizationId: id } })).toBe(2)
})

test('T137: ten additions and acceptances at once fill the two last places only', async () => {
  const owner = await app.signedIn()
  const { id } = await found(owner)
  const users = Array.from({ length: 97 }, (_, count) => ({
    id: `full-${count}`,
    name: 'F',
    email: `full-${count}@example.test`,
  }))
  await app.db.user.createMany({ data: users })
  await app.db.member.createMany({
    data: users.map(({ id: userId }) => ({ organizationId: id, userId, role: 'member', slot: 1 })),
  })
  const tabs = await times(10, () => app.signedIn())
  const runs = await times(10, async (round) => {
    const tab = tabs[round] as SignedIn
    if (round % 2 === 0) return () => owner.post('/auth/organization/member/add', { userId: tab.userId, role: 'member' })
    await owner.post('/auth/organization/invite-member', { email: tab.person.email, role: 'member' })
    const invitationId = await newestToken(tab.person.email)
    return () => tab.post('/auth/organization/accept-invitation', { invitationId })
  })
  const answers = await Promise.all(runs.map((run) => run()))
  expect([done(answers), codes(answers)]).toEqual([2, new Set(['ORGANIZATION_MEMBERSHIP_LIMIT_REACHED'])])
  expect(await app.db.member.count({ where: { organizationId: id } })).toBe(100)
})

test('T137: a slug that ten users request at once goes to one', async () => {
  const tabs = await times(10, () => app.signedIn())
  const slug = randomUUID()
  const answers = await Promise.all(tabs.map((tab) => create(tab, slug)))
  expect([done(answers), codes(answers)]).toEqual([1, new Set(['ORGANIZATION_ALREADY_EXISTS'])])
})

test('joining, activating, leaving and signing out during a deletion cause no error and leave no row', async () => {
  const owner = await app.signedIn()
  const tabs = await times(6, () => app.signedIn())
  for (let round = 0; round < 5; round += 1) {
    const { id } = await found(owner)
    const guest = await app.signedIn()
    await owner.post('/auth/organization/invite-member', { organizationId: id, email: guest.person.email, role: 'member' })
    const invitationId = await newestToken(guest.person.email)
    const seconds: Browser[] = []
    for (const tab of tabs) {
      const second = app.browser()
      await second.post('/auth/sign-in/email', tab.person)
      seconds.push(second)
      await owner.post('/auth/organization/member/add', { organizationId: id, userId: tab.userId, role: 'admin' })
      await tab.post('/auth/organization/set-active', { organizationId: id })
    }
    const [a, b, c, d, e, f] = tabs as [SignedIn, SignedIn, SignedIn, SignedIn, SignedIn, SignedIn]
    const [, secondOfB, , secondOfD] = seconds as [Browser, Browser, Browser, Browser]
    const answers = await Promise.all([
      a.post('/auth/organization/leave', { organizationId: id }),
      secondOfB.post('/auth/organization/set-active', { organizationId: id }),
      guest.post('/auth/organization/accept-invitation', { invitationId }),
      c.post('/auth/organization/update', { organizationId: id, data: { name: 'Other' } }),
      owner.post('/auth/organization/delete', { organizationId: id }),
      b.post('/auth/revoke-other-sessions'),
      secondOfD.post('/auth/sign-out'),
      e.post('/auth/organization/invite-member', { organizationId: id, email: 'x@example.test', role: 'member' }),
      f.post('/auth/organization/member/remove', { organizationId: id, memberIdOrEmail: d.person.email }),
    ])
    for (const { status } of answers) expect(status).toBeLessThan(500)
    expect(await app.db.organization.count()).toBe(
      await app.db.organization.count({ where: { members: { some: { role: 'owner' } } } }),
    )
    expect(await app.db.organization.count({ where: { id } })).toBe(0)
    expect(await app.db.session.count({ where: { activeOrganizationId: id } })).toBe(0)
  }
})
