import { adminOf } from '@floorpass/testing/admin-command'
import { makeAdministrator } from '@floorpass/testing/administrators'
import { type Answer, outcome } from '@floorpass/testing/browser'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp, type SignedIn } from '@floorpass/testing/create-test-app'
import { assemble } from '@floorpass/testing/organization'
import { testDatabase } from '@floorpass/testing/test-database'
import { beforeEach, describe, expect, test } from 'vitest'

const app = await createTestApp()
const command = adminOf(app)
const waits = [409, 'APPROVAL_REQUIRED']
const done = [200, undefined]

async function administrator(role: 'admin' | 'support' = 'admin'): Promise<SignedIn> {
  const tab = await app.signedIn()
  await makeAdministrator(app, tab, role)
  return tab
}

let first: SignedIn
let second: SignedIn
let user: SignedIn
beforeEach(async () => {
  await app.db.user.updateMany({ data: { role: null } })
  first = await administrator()
  second = await administrator()
  user = await app.signedIn()
})

type Act = { call: (tab: SignedIn) => Promise<Answer>; isDone: () => Promise<boolean>; prepare?: () => Promise<unknown> }
const reason = 'asked by the owner in writing'
const findUser = () => app.db.user.findUnique({ where: { id: user.userId } })
const change = (data: object) => app.db.user.update({ where: { id: user.userId }, data })
const acts: Record<string, Act> = {
  'give a role': {
    prepare: () => change({ twoFactorEnabled: true }),
    call: (tab) => tab.post('/auth/admin/set-role', { userId: user.userId, role: 'support', reason }),
    isDone: async () => (await findUser())?.role === 'support',
  },
  'take a role away': {
    prepare: () => change({ role: 'support' }),
    call: (tab) => tab.post('/auth/admin/set-role', { userId: user.userId, role: 'user', reason }),
    isDone: async () => (await findUser())?.role === null,
  },
  'end a suspension': {
    prepare: () => change({ suspendedAt: new Date() }),
    call: (tab) => tab.post('/auth/admin/unban-user', { userId: user.userId, reason }),
    isDone: async () => (await findUser())?.suspendedAt === null,
  },
  'turn off a second factor': {
    prepare: () => change({ twoFactorEnabled: true }),
    call: (tab) => tab.post('/auth/admin/disable-two-factor', { userId: user.userId, reason }),
    isDone: async () => (await findUser())?.twoFactorEnabled === false,
  },
  'delete a user': {
    call: (tab) => tab.post('/auth/admin/remove-user', { userId: user.userId, reason }),
    isDone: async () => (await findUser()) === null,
  },
}

describe.each(Object.entries(acts))('to %s', (_name, { call, isDone, prepare }) => {
  beforeEach(async () => void (await prepare?.()))

  test('takes two administrators', async () => {
    expect(outcome(await call(first))).toEqual(waits)
    expect(outcome(await call(first))).toEqual(waits)
    expect(await isDone()).toBe(false)
    expect(outcome(await call(second))).toEqual(done)
    expect(await isDone()).toBe(true)
    expect(await app.db.approval.count({ where: { userId: user.userId } })).toBe(0)
    const actor = { OR: [{ actorId: second.userId }, { userId: second.userId, action: 'remove-user' }] }
    const event = await app.db.auditEvent.findFirst({ where: actor, orderBy: { id: 'desc' } })
    expect(event).toMatchObject({ details: { reason, requestedBy: first.userId } })
  })

  test('takes one administrator while there is only one', async () => {
    await app.db.user.update({ where: { id: second.userId }, data: { role: 'support' } })
    expect(outcome(await call(first))).toEqual(done)
    expect(await isDone()).toBe(true)
  })
})

const remove = (tab: SignedIn) => tab.post('/auth/admin/remove-user', { userId: user.userId, reason })
const giveRole = (tab: SignedIn, role: string) => tab.post('/auth/admin/set-role', { userId: user.userId, role, reason })

describe('a request', () => {
  test('counts for a day, to the second', async () => {
    const clock = holdClock()
    const [early, late] = [await app.signedIn(), await app.signedIn()]
    const removeAfter = async (seconds: number, tab: SignedIn, { userId }: SignedIn) => {
      clock.advance(seconds)
      await app.db.session.updateMany({ data: { secondFactorAt: new Date() } })
      await app.service.deps.changes.flush()
      return outcome(await tab.post('/auth/admin/remove-user', { userId }))
    }
    expect(await removeAfter(0, first, early)).toEqual(waits)
    expect(await removeAfter(0, first, late)).toEqual(waits)
    expect(await removeAfter(86_399, second, early)).toEqual(done)
    expect(await removeAfter(1, second, late)).toEqual(waits)
    expect(await removeAfter(0, first, late)).toEqual(done)
  })

  test('for another role is another request', async () => {
    await change({ twoFactorEnabled: true })
    expect(outcome(await giveRole(first, 'admin'))).toEqual(waits)
    expect(outcome(await giveRole(second, 'auditor'))).toEqual(waits)
    expect(await findUser()).toMatchObject({ role: null })
    expect(outcome(await giveRole(first, 'auditor'))).toEqual(done)
    expect(await findUser()).toMatchObject({ role: 'auditor' })
  })

  test.each([
    ['has no role anymore', { role: null }],
    ['is only support now', { role: 'support' }],
    ['is suspended', { suspendedAt: new Date() }],
    ['locked the account', { lockKind: 'owner', lockedAt: new Date(), unlockDays: 7 }],
    ['got the role again since', { roleGrantedAt: new Date('2100-01-01') }],
  ])('of an administrator who %s does not count', async (_what, data) => {
    const third = await administrator()
    await remove(first)
    await app.db.user.update({ where: { id: first.userId }, data })
    expect(outcome(await remove(second))).toEqual(waits)
    expect(outcome(await remove(third))).toEqual(done)
  })

  test('is not approved by support, nor by the user whom it concerns', async () => {
    await change({ role: 'admin', twoFactorEnabled: true })
    await app.db.session.updateMany({ where: { userId: user.userId }, data: { secondFactorAt: new Date() } })
    await remove(first)
    expect(outcome(await remove(await administrator('support')))).toEqual([403, 'ADMINISTRATOR_ROLE_REQUIRED'])
    expect(outcome(await remove(user))).toEqual([400, 'YOU_CANNOT_REMOVE_YOURSELF'])
    expect(await findUser()).not.toBeNull()
  })

  test('is refused at once when the act cannot succeed', async () => {
    expect(outcome(await giveRole(first, 'support'))).toEqual([403, 'ADMINISTRATOR_FACTOR_REQUIRED'])
    const disable = await first.post('/auth/admin/disable-two-factor', { userId: user.userId })
    expect(outcome(disable)).toEqual([400, 'TWO_FACTOR_NOT_ENABLED'])
    expect(await app.db.approval.count({ where: { userId: user.userId } })).toBe(0)
  })

  test('about an administrator is neither rejected by them nor mailed to them', async () => {
    await change({ role: 'admin', twoFactorEnabled: true })
    await app.db.session.updateMany({ where: { userId: user.userId }, data: { secondFactorAt: new Date() } })
    await giveRole(first, 'user')
    const { id: approvalId } = await app.db.approval.findFirstOrThrow({ where: { userId: user.userId } })
    expect(outcome(await user.post('/auth/admin/reject-approval', { approvalId }))).toEqual([
      400,
      'YOU_CANNOT_ADMINISTER_YOURSELF',
    ])
    await app.drainMail()
    expect(app.outbox.to(user.person.email)).toEqual([])
    expect(outcome(await first.post('/auth/admin/reject-approval', { approvalId }))).toEqual(done)
  })

  test('that another one replaces is recorded as rejected', async () => {
    await change({ twoFactorEnabled: true })
    await giveRole(first, 'admin')
    await giveRole(second, 'auditor')
    const events = await app.db.auditEvent.findMany({ where: { userId: user.userId, action: 'reject-approval' } })
    expect(events).toMatchObject([{ actorId: second.userId, details: { act: 'set-role' } }])
  })

  test('to end a suspension does not outlive the next suspension', async () => {
    const ban = () => first.post('/auth/admin/ban-user', { userId: user.userId, banReason: 'a stolen card was used' })
    const unban = (tab: SignedIn) => tab.post('/auth/admin/unban-user', { userId: user.userId })
    await ban()
    expect(outcome(await unban(first))).toEqual(waits)
    await ban()
    expect(outcome(await unban(second))).toEqual(waits)
  })

  test('to delete the only owner of a shared organization is refused at once', async () => {
    await assemble(app, [
      [user, 'owner'],
      [await app.signedIn(), 'member'],
    ])
    expect(outcome(await remove(first))).toEqual([400, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'])
  })

  test('is listed, and rejected by either administrator', async () => {
    await remove(first)
    const list = async (query = '') =>
      (await second.get(`/auth/admin/list-approvals${query}`)).body as { approvals: { id: string }[] }
    const { approvals } = await list(`?userId=${user.userId}`)
    expect(approvals).toMatchObject([
      { userId: user.userId, email: user.person.email, action: 'remove-user', role: null, reason, requestedBy: first.userId },
    ])
    expect((await list('?userId=another')).approvals).toEqual([])
    const approvalId = approvals[0]?.id
    expect(outcome(await second.post('/auth/admin/reject-approval', { approvalId }))).toEqual(done)
    expect(outcome(await first.post('/auth/admin/reject-approval', { approvalId }))).toEqual([404, 'APPROVAL_NOT_FOUND'])
    expect(await app.db.auditEvent.findFirst({ where: { userId: user.userId, action: 'reject-approval' } })).toMatchObject({
      actorId: second.userId,
    })
    expect(outcome(await remove(second))).toEqual(waits)
  })

  test('is rejected and recorded once when two reject it at once', async () => {
    await remove(first)
    const { id: approvalId } = await app.db.approval.findFirstOrThrow({ where: { userId: user.userId } })
    const answers = await Promise.all([first, second].map((tab) => tab.post('/auth/admin/reject-approval', { approvalId })))
    expect(answers.map(outcome).sort()).toEqual([done, [404, 'APPROVAL_NOT_FOUND']])
    expect(await app.db.auditEvent.count({ where: { userId: user.userId, action: 'reject-approval' } })).toBe(1)
  })

  test('mails the other administrators once, and is in the activity of the user', async () => {
    await remove(first)
    await remove(first)
    await app.drainMail()
    const subject = 'An administrator of Floorpass needs your approval'
    expect(app.outbox.to(second.person.email).filter((mail) => mail.subject === subject)).toHaveLength(1)
    expect(app.outbox.to(first.person.email).filter((mail) => mail.subject === subject)).toHaveLength(0)
    const events = await app.db.auditEvent.findMany({ where: { userId: user.userId, action: 'request-approval' } })
    expect(events).toMatchObject([{ actorId: first.userId, details: { act: 'remove-user', reason } }])
  })

  test('mails at most 20 other administrators', async () => {
    await app.db.user.createMany({
      data: Array.from({ length: 25 }, (_, n) => ({ name: 'Many', email: `many-${n}@example.test`, role: 'admin' })),
    })
    await app.db.user.update({ where: { id: second.userId }, data: { suspendedAt: new Date() } })
    await remove(first)
    await app.drainMail()
    const mailed = Array.from({ length: 25 }, (_, n) => app.outbox.to(`many-${n}@example.test`).length)
    expect(mailed.reduce((sum, count) => sum + count, 0)).toBe(20)
    await app.db.user.deleteMany({ where: { name: 'Many' } })
  })
})

test('the rule stays when the other administrator is suspended', async () => {
  await first.post('/auth/admin/ban-user', { userId: second.userId, banReason: 'to be the only one' })
  expect(outcome(await remove(first))).toEqual(waits)
})

test('the command line acts alone', async () => {
  await change({ suspendedAt: new Date() })
  expect((await command('restore', user.person.email, '--reason', reason, '--yes')).code).toBe(0)
  expect(await findUser()).toMatchObject({ suspendedAt: null })
})

describe.each([
  ['always', 1, waits],
  ['never', 2, done],
] as const)('ADMIN_APPROVAL=%s', async (ADMIN_APPROVAL, administrators, expected) => {
  const other = await createTestApp({ ADMIN_APPROVAL })
  test(`with ${administrators} administrators`, async () => {
    const tabs = await Promise.all(Array.from({ length: administrators }, () => other.signedIn()))
    for (const tab of tabs) await makeAdministrator(other, tab)
    const { userId } = await other.signedIn()
    expect(outcome(await (tabs[0] as SignedIn).post('/auth/admin/remove-user', { userId }))).toEqual(expected)
  })
})

test.runIf(testDatabase.kind === 'postgres')('two administrators who ask at once act once', async () => {
  await change({ twoFactorEnabled: true })
  const answers = await Promise.all([giveRole(first, 'support'), giveRole(second, 'support')])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(await app.db.auditEvent.count({ where: { userId: user.userId, action: 'grant-role' } })).toBe(1)
})
