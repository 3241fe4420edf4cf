import { createTestApp } from '@floorpass/testing/create-test-app'
import { found, outcome, roleOf } from '@floorpass/testing/organization'
import type { SignedIn } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ RATE_LIMIT: 'on' })
const [owner, other, target] = [await app.signedIn(), await app.signedIn(), await app.signedIn()]
const id = (await found(owner)).id
const theirs = (await found(other)).id
const tooMany = [429, 'TOO_MANY_REQUESTS']

describe('mails to one person', () => {
  const add = (tab: SignedIn, organizationId: string) =>
    tab.post('/auth/organization/member/add', { organizationId, userId: target.userId, role: 'member' })
  const remove = (tab: SignedIn, organizationId: string) =>
    tab.post('/auth/organization/member/remove', { organizationId, memberIdOrEmail: target.person.email })

  test('added and removed again and again, whoever does it: five times an hour', async () => {
    // Who may not add anybody uses nothing up, and neither does what is refused.
    for (let round = 0; round < 6; round += 1) expect((await add(target, theirs)).code).toBe('ORGANIZATION_NOT_FOUND')
    for (let round = 0; round < 5; round += 1) {
      const [tab, where] = round % 2 === 0 ? ([owner, id] as const) : ([other, theirs] as const)
      expect((await add(tab, where)).status).toBe(200)
      expect((await add(tab, where)).code).toBe('USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')
      expect((await remove(tab, where)).status).toBe(200)
    }
    for (const [tab, where] of [
      [owner, id],
      [other, theirs],
    ] as const) {
      expect(outcome(await add(tab, where))).toEqual(tooMany)
      expect(await roleOf(app, where, target)).toBeNull()
    }
    await app.mailed()
    expect(app.outbox.to(target.person.email).filter(({ text }) => text.includes('Desk'))).toHaveLength(10)
  })
})

describe('invitations to one address', () => {
  const invite = (tab: SignedIn, organizationId: string, email: string) =>
    tab.post('/auth/organization/invite-member', { organizationId, email, role: 'member', resend: true })

  test('a stranger’s refused calls leave the owner’s at 200; five an hour from one organization, then from another', async () => {
    const { email } = app.person()
    for (let round = 0; round < 12; round += 1) expect((await invite(target, id, email)).code).toBe('ORGANIZATION_NOT_FOUND')
    for (let round = 0; round < 5; round += 1) expect((await invite(owner, id, email)).status).toBe(200)
    expect(outcome(await invite(owner, id, email))).toEqual(tooMany)
    expect((await invite(other, theirs, email)).status).toBe(200)
    await app.mailed()
    expect(app.outbox.to(email)).toHaveLength(6)
  })

  test('twenty an hour from all organizations', async () => {
    const { email } = app.person()
    const organizations = [id, theirs, (await found(owner)).id, (await found(other)).id, (await found(owner)).id]
    const answers: number[] = []
    for (const [at, organizationId] of organizations.entries())
      for (let round = 0; round < 5; round += 1)
        answers.push((await invite(at % 2 === 0 ? owner : other, organizationId, email)).status)
    expect(answers.filter((status) => status === 200)).toHaveLength(20)
    expect(answers.slice(20)).toEqual([429, 429, 429, 429, 429])
  })
})
