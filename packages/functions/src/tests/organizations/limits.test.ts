import { outcome } from '@floorpass/testing/browser'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { found, roleOf } from '@floorpass/testing/organization'
import type { SignedIn } from '@floorpass/testing/route-samples'
import { describe, expect, test } from 'vitest'

const app = await createTestApp({ RATE_LIMIT: 'on' })
const [owner, other, target] = [await app.signedIn(), await app.signedIn(), await app.signedIn()]
const id = (await found(owner)).id
const theirs = (await found(other)).id
const tooMany = [429, 'TOO_MANY_REQUESTS']

describe('mails to one user', () => {
  const add = (tab: SignedIn, organizationId: string) =>
    tab.post('/auth/organization/member/add', { organizationId, userId: target.userId, role: 'member' })
  const remove = (tab: SignedIn, organizationId: string) =>
    tab.post('/auth/organization/member/remove', { organizationId, memberIdOrEmail: target.person.email })

  test('allow five additions and removals an hour, by any caller', async () => {
    // Refused calls and callers without permission use nothing up.
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
    await app.drainMail()
    expect(app.outbox.to(target.person.email).filter(({ text }) => text.includes('Desk'))).toHaveLength(10)
  })
})

describe('invitations to one email', () => {
  const invite = (tab: SignedIn, organizationId: string, email: string) =>
    tab.post('/auth/organization/invite-member', { organizationId, email, role: 'member', resend: true })

  test('allow five an hour from each organization, and refused outsiders use nothing up', async () => {
    const { email } = app.person()
    for (let round = 0; round < 12; round += 1) expect((await invite(target, id, email)).code).toBe('ORGANIZATION_NOT_FOUND')
    for (let round = 0; round < 5; round += 1) expect((await invite(owner, id, email)).status).toBe(200)
    expect(outcome(await invite(owner, id, email))).toEqual(tooMany)
    expect((await invite(other, theirs, email)).status).toBe(200)
    await app.drainMail()
    expect(app.outbox.to(email)).toHaveLength(6)
  })

  test('allow twenty an hour from all organizations', async () => {
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
