import { Socket } from 'node:net'
import type { AppError } from '@floorpass/api'
import { assertPasswordAllowed } from '@floorpass/api/password-rules'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { processorTimeBelow } from '@floorpass/testing/processor-time'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp({ APP_NAME: 'Tradewind' })

const owner = { name: 'Zoë Lindqvist', email: 'zoe.lindqvist@harbourmail.test', appName: 'Tradewind' }
const checkPassword = async (password: string) => {
  try {
    await assertPasswordAllowed(password, owner, 'newPassword')
    return { key: null, fields: null }
  } catch (error) {
    const { key, fields } = error as AppError
    return { key, fields: { newPassword: fields?.newPassword?.sentence } }
  }
}
test('the dictionaries are loaded again after a failure', async () => {
  vi.resetModules()
  const dictionaries = '../../../../api/src/password-strength/password-dictionaries.ts'
  vi.doMock(dictionaries, () => {
    throw new Error('it is not there')
  })
  onTestFinished(() => void vi.doUnmock(dictionaries))
  const { easilyGuessed } = await import('@floorpass/api/password-strength')
  await expect(easilyGuessed('password', [])).rejects.toThrow()
  vi.doUnmock(dictionaries)
  expect(await easilyGuessed('password', [])).not.toBeNull()
})

describe('the password rules', () => {
  test.each([
    'password',
    'Password1',
    'P@ssw0rd!',
    'qwertyuiop',
    'azertyuiop',
    '12345678',
    '1234567890123456',
    'iloveyou1',
    'letmein123',
    'dragon123',
    'football1',
    'motdepasse',
    'soleil123',
    'bonjour1',
    'jetaime1',
    'charlotte1',
    // Each stands in one of the five word lists alone.
    'nuttertools',
    'immediately',
    'annecorinne',
    'tellement',
    'abderrahmane',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'abcdefghijkl',
    '14/07/1989',
    '11112222',
    'Tradewind',
    'tradewind1',
    'Tradewind2026',
    'zoe.lindqvist',
    'Lindqvist1',
    'lindqvist2024',
    'Zoë Lindqvist',
    'zoe.lindqvist@harbourmail.test',
    'harbourmail',
  ])('T169: refuse %s with a reason that helps the person', async (password) => {
    const { key, fields } = await checkPassword(password)
    expect(key).toBe('PASSWORD_TOO_COMMON')
    expect(fields?.newPassword).toMatch(/^[A-Z].{20,}$/)
  })

  test.each([
    'kJ7#pq2w',
    'plum kettle orbit',
    'correct horse battery staple',
    'violetharborladder',
    'VIOLETHARBORLADDER',
    '83920174655910',
    '🔑🌵🎻🚀🧲🦑🪁🥝',
    'пароход семьдесят лун',
    '月が綺麗ですね今夜も',
    '   kettle   plum  ',
    'kJ7#pq2w'.repeat(16),
  ])('T169: allow %s, because no kind of character is required', async (password) => {
    expect((await checkPassword(password)).key).toBeNull()
  })

  test('T170: use the lists of the package and no network', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('offline'))
    const connected = vi.spyOn(Socket.prototype, 'connect').mockImplementation(() => {
      throw new Error('offline')
    })
    onTestFinished(() => void vi.restoreAllMocks())
    expect((await checkPassword('password1')).key).toBe('PASSWORD_TOO_COMMON')
    expect((await checkPassword('plum kettle orbit')).key).toBeNull()
    expect([fetched.mock.calls, connected.mock.calls]).toEqual([[], []])
  })

  test('count the length in code points of the composed form', async () => {
    expect((await checkPassword('kJ7#pq2')).fields).toEqual({ newPassword: 'Use at least 8 characters' })
    expect((await checkPassword('kJ7#pqe\u0301')).key).toBe('PASSWORD_TOO_SHORT')
    expect((await checkPassword(`${'🔑🌵🎻🚀🧲🦑🪁🥝'.repeat(16)}x`)).fields).toEqual({
      newPassword: 'Use at most 128 characters',
    })
    expect((await checkPassword('e\u0301ka7#pq2w'.repeat(14))).key).toBeNull()
  })

  test.each([
    ['words', 'kettle plum orbit meadow '.repeat(6).slice(0, 128)],
    ['substituted letters', '4@8({[<369&#!1/|0$5+7%2'.repeat(6).slice(0, 128)],
    ['a sequence', 'abcdefghijklmnopqrstuvwxyz'.repeat(5).slice(0, 128)],
    ['one character', 'a'.repeat(128)],
    ['digits', '31415926535897932384626433832795'.repeat(4)],
    ['dates', '14071989'.repeat(16)],
    ['a keyboard run', 'qwertyuiopasdfghjkl'.repeat(7).slice(0, 128)],
    ['four-byte characters', '🔑🌵🎻🚀🧲🦑🪁🥝'.repeat(16)],
    ['combining accents', 'e\u0301'.repeat(128)],
    ['the longest text that is read', `${'4@8({[<369&#!1/|0$5+7%2'.repeat(435).slice(0, 9999)}x`],
  ])('T166: check 128 characters of %s in less than 100 ms', async (_, password) => {
    await checkPassword('warm up the dictionaries')
    expect(await processorTimeBelow(100, () => checkPassword(password))).toBeLessThan(100)
  })

  test('T166: stay fast with a long name and email of the person', async () => {
    const long = { name: 'a1@ '.repeat(25), email: `${'b2.c3-'.repeat(10)}@${'d4-'.repeat(18)}e.test`, appName: 'Tradewind' }
    await assertPasswordAllowed('warm up the dictionaries', long, 'password')
    const check = () => assertPasswordAllowed('kettle7#plum4@8({[<369&#', long, 'password')
    expect(await processorTimeBelow(100, check)).toBeLessThan(100)
  })
})

describe('every route that sets a password', () => {
  test('refuses the same password with the same reason, and names the field over tRPC', async () => {
    const tab = await app.signedIn()
    const signUp = await app.browser().post('/auth/sign-up/email', { ...app.person(), password: 'Tradewind1' })
    await app.browser().post('/auth/forget-password', { email: tab.person.email })
    await app.drainMail()
    const { token } = app.outbox.lastTo(tab.person.email)
    const reset = await app.browser().post('/auth/reset-password', { token, newPassword: 'Tradewind1' })
    const change = await tab.post('/auth/change-password', { currentPassword: tab.person.password, newPassword: 'Tradewind1' })
    await app.db.account.deleteMany({ where: { userId: tab.userId } })
    const set = await tab.post('/auth/set-password', { newPassword: 'Tradewind1' })
    const reason = 'Leave out anything about you or this service, such as your name or email.'
    for (const { status, body } of [signUp, reset, change, set])
      expect([status, body]).toEqual([400, { code: 'PASSWORD_TOO_COMMON', message: `Password too easy to guess: ${reason}` }])
    const trpc = await tab.post('/trpc/passwords.set', { newPassword: 'Tradewind1' })
    expect(trpc.body).toMatchObject({
      error: { data: { key: 'PASSWORD_TOO_COMMON', fields: { newPassword: reason } } },
    })
  })
})
