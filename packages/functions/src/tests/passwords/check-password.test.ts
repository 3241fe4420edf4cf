import { createTestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()

const checkPassword = async (tab: ReturnType<typeof app.browser>, input: unknown) => {
  const { status, body } = await tab.post('/trpc/passwords.check', input)
  expect(status).toBe(200)
  return (body as { result: { data: { problem: string | null } } }).result.data.problem
}

describe('passwords.check', () => {
  test('returns the problem that sign-up would report, by name', async () => {
    const tab = app.browser()
    expect(await checkPassword(tab, { password: 'short' })).toBe('passwordTooShort')
    expect(await checkPassword(tab, { password: 'x'.repeat(129) })).toBe('passwordTooLong')
    expect(await checkPassword(tab, { password: 'aaaaaaaaaa' })).toBe('simpleRepeat')
    expect(await checkPassword(tab, { password: 'violet tram 74 under' })).toBeNull()
  })

  test("refuses the person's own words from the form, the session or the reset link", async () => {
    const person = app.person({ name: 'Wilhelmina Oosterdijk' })
    const password = 'oosterdijk'
    expect(await checkPassword(app.browser(), { password })).toBeNull()
    expect(await checkPassword(app.browser(), { password, name: person.name })).not.toBeNull()

    const tab = await app.signedIn(person)
    expect(await checkPassword(tab, { password })).not.toBeNull()
    await app.browser().post('/auth/forget-password', { email: person.email })
    await app.drainMail()
    const { token } = app.outbox.lastTo(person.email)
    expect(await checkPassword(app.browser(), { password, token })).not.toBeNull()
    expect(await checkPassword(app.browser(), { password, token: 'no such token' })).toBeNull()
  })

  test('never logs the password', async () => {
    await checkPassword(app.browser(), { password: 'a marigold never logged' })
    expect(JSON.stringify(app.logs)).not.toContain('marigold')
  })
})
