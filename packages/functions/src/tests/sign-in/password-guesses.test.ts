import { createPasswordHasher, limits, policy } from '@floorpass/api'
import { createOperator, endUserSessions, restoreUser, suspendUser } from '@floorpass/api/administration'
import { createTestApp, type Person, type TestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp()
const limited = await createTestApp({ RATE_LIMIT: 'on' })

const wrongPassword = 'something else'
const { known, unknown } = policy.passwordGuesses
let callerCount = 0
/** Signs in from an IP address that no other call uses. */
const signInFromNewAddress = (
  testApp: TestApp,
  { email, password }: Pick<Person, 'email' | 'password'>,
  tab = testApp.browser(),
) => {
  callerCount += 1
  return tab.post('/auth/sign-in/email', { email, password }, { ip: `2001:db8:${callerCount.toString(16)}::1` })
}
const guessPassword = (testApp: TestApp, { email }: Pick<Person, 'email'>, tab?: ReturnType<TestApp['browser']>) =>
  signInFromNewAddress(testApp, { email, password: wrongPassword }, tab)
const guessTimes = async (testApp: TestApp, person: Pick<Person, 'email'>, times: number) => {
  for (let count = 0; count < times; count += 1) await guessPassword(testApp, person)
}
const getCounters = async ({ email }: Person, testApp = app) => {
  const { knownGuesses, unknownGuesses } = await testApp.db.account.findFirstOrThrow({ where: { user: { email } } })
  return [knownGuesses, unknownGuesses]
}
const countPauseMails = async ({ email }: Person) => {
  await app.drainMail()
  return app.outbox.to(email).filter(({ subject }) => subject.includes('trying to guess your Floorpass password')).length
}
const requestResetToken = async (testApp: TestApp, { email }: Person) => {
  await testApp.browser().post('/auth/forget-password', { email })
  await testApp.drainMail()
  return testApp.outbox.lastTo(email).token
}

/** Counts the comparisons with a real password hash until the test ends. */
function countCompared(testApp: TestApp) {
  const { passwords } = testApp.service.deps
  const compared = { count: 0 }
  onTestFinished(() => {
    testApp.service.deps.passwords = passwords
  })
  testApp.service.deps.passwords = {
    ...passwords,
    verify: (known, password) =>
      passwords.verify(async () => {
        const hash = typeof known === 'function' ? await known() : known
        if (hash !== null) compared.count += 1
        return hash
      }, password),
  }
  return compared
}

describe('an account under password guessing', () => {
  test('T13: lets its owner sign in from known devices, and delays every other device', async () => {
    const owner = await limited.signedIn()
    await guessTimes(limited, owner.person, 15)
    expect((await signInFromNewAddress(limited, owner.person)).code).toBe('TOO_MANY_REQUESTS')
    await owner.post('/auth/sign-out')
    for (let round = 0; round < 8; round += 1) expect((await signInFromNewAddress(limited, owner.person, owner)).status).toBe(200)
  })

  test('delays unknown devices for ten minutes, then an hour, then a day', async () => {
    const owner = await limited.verified()
    const { limiter } = limited.service.deps
    const waits: number[] = []
    for (let used = 1; used <= 4; used += 1) {
      await guessTimes(limited, owner, 10)
      const refused = await guessPassword(limited, owner)
      expect([refused.status, refused.code]).toEqual([429, 'TOO_MANY_REQUESTS'])
      waits.push(Number(refused.headers.get('retry-after')))
      await limiter.reset('sign-in:account', owner.email)
      if (used === 2) await limiter.reset('sign-in:account-hour', owner.email)
    }
    const [short, hour, day] = [limits['sign-in:account'], limits['sign-in:account-hour'], limits['sign-in:account-day']].map(
      ({ seconds }) => expect.closeTo(seconds, -2),
    )
    expect(waits).toEqual([short, hour, short, day])
  })

  test('forgets an email after ten minutes when it was tried once', async () => {
    const { limiter } = limited.service.deps
    const email = 'typed-once@example.test'
    await guessPassword(limited, { email })
    expect((await limiter.consume('sign-in:account-hour', email))?.remaining).toBe(limits['sign-in:account-hour'].points - 1)
  })

  test('lets the browser that reset the password sign in, however many guesses follow', async () => {
    const owner = await limited.verified()
    await guessTimes(limited, owner, 12)
    const tab = limited.browser()
    const newPassword = 'violet harbor ladder'
    const token = await requestResetToken(limited, owner)
    expect((await tab.post('/auth/reset-password', { token, newPassword })).status).toBe(200)
    expect((await tab.get('/auth/get-session')).body).toBeNull()
    await guessTimes(limited, owner, 12)
    expect((await signInFromNewAddress(limited, { ...owner, password: newPassword }, tab)).status).toBe(200)
  })

  test('still knows every device of the owner after a reset and after a password change', async () => {
    const desk = await limited.signedIn()
    const phone = limited.browser()
    expect((await signInFromNewAddress(limited, desk.person, phone)).status).toBe(200)
    await guessTimes(limited, desk.person, 12)
    let password = 'violet harbor ladder'
    const token = await requestResetToken(limited, desk.person)
    expect((await phone.post('/auth/reset-password', { token, newPassword: password })).status).toBe(200)
    await guessTimes(limited, desk.person, 12)
    for (const tab of [desk, phone])
      expect((await signInFromNewAddress(limited, { ...desk.person, password }, tab)).status).toBe(200)

    const change = { currentPassword: password, newPassword: 'copper meadow lantern' }
    expect((await phone.post('/auth/change-password', change)).status).toBe(200)
    password = change.newPassword
    await guessTimes(limited, desk.person, 12)
    for (const tab of [desk, phone])
      expect((await signInFromNewAddress(limited, { ...desk.person, password }, tab)).status).toBe(200)
  })

  test('accepts a new password everywhere at once', async () => {
    const owner = await limited.signedIn()
    await guessTimes(limited, owner.person, 12)
    const newPassword = 'violet harbor ladder'
    await owner.post('/auth/change-password', { currentPassword: owner.person.password, newPassword })
    expect((await signInFromNewAddress(limited, { ...owner.person, password: newPassword })).status).toBe(200)
    await guessTimes(limited, owner.person, 12)
    const token = await requestResetToken(limited, owner.person)
    await limited.browser().post('/auth/reset-password', { token, newPassword: 'copper meadow lantern' })
    expect((await signInFromNewAddress(limited, { ...owner.person, password: 'copper meadow lantern' })).status).toBe(200)
  })

  test('gives each known device five tries, and resets them on success', async () => {
    const owner = await limited.signedIn()
    for (let round = 0; round < 2; round += 1) {
      for (let count = 0; count < 4; count += 1)
        expect((await guessPassword(limited, owner.person, owner)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
      expect((await signInFromNewAddress(limited, owner.person, owner)).status).toBe(200)
    }
    for (let count = 0; count < 5; count += 1) await guessPassword(limited, owner.person, owner)
    expect(await getCounters(owner.person, limited)).toEqual([5, 0])
    // A copied device cookie must not lock the owner out, so further tries count as an unknown device.
    expect((await guessPassword(limited, owner.person, owner)).status).toBe(401)
    expect(await getCounters(owner.person, limited)).toEqual([5, 1])
    expect((await signInFromNewAddress(limited, owner.person, owner)).status).toBe(200)
  })

  test('T20: refuses even the right password from unknown devices after eighty wrong ones in a row', async () => {
    const owner = await app.signedIn()
    const compared = countCompared(app)
    await guessTimes(app, owner.person, unknown - 1)
    expect(await getCounters(owner.person)).toEqual([0, unknown - 1])
    expect(app.outbox.to(owner.person.email)).toEqual([])
    await guessTimes(app, owner.person, 5)
    expect(compared.count).toBe(unknown)
    const right = await signInFromNewAddress(app, owner.person)
    const unknownEmail = await guessPassword(app, { email: 'unknown@example.test' })
    expect([right.status, right.body, right.setCookies]).toEqual([401, unknownEmail.body, []])

    await app.drainMail()
    const mails = app.outbox.to(owner.person.email)
    expect(mails).toHaveLength(1)
    expect(mails.at(-1)?.text).toContain(`${app.baseUrl}/forgot-password`)
    expect(await app.db.auditEvent.count({ where: { userId: owner.userId, action: 'pause-password' } })).toBe(1)

    await owner.post('/auth/sign-out')
    expect((await signInFromNewAddress(app, owner.person, owner)).status).toBe(200)
    // A success on a known device does not reset the count of unknown devices.
    expect((await signInFromNewAddress(app, owner.person)).status).toBe(401)
    const newPassword = 'violet harbor ladder'
    await app.browser().post('/auth/reset-password', { token: await requestResetToken(app, owner.person), newPassword })
    expect((await signInFromNewAddress(app, { ...owner.person, password: newPassword })).status).toBe(200)
  })

  test('T20: allows twenty more wrong passwords from known devices and sessions, a hundred in all, and resets on success', async () => {
    expect(known + unknown).toBeLessThanOrEqual(100)
    const owner = await app.signedIn()
    const second = app.browser()
    await signInFromNewAddress(app, owner.person, second)
    const change = () =>
      owner.post('/auth/change-password', { currentPassword: wrongPassword, newPassword: 'violet harbor ladder' })
    for (let count = 0; count < known / 2; count += 1) {
      expect((await guessPassword(app, owner.person, second)).status).toBe(401)
      expect((await change()).code).toBe('INVALID_PASSWORD')
    }
    // The first guess beyond the limit triggers the mail.
    expect(await getCounters(owner.person)).toEqual([known + 1, 0])
    await app.drainMail()
    expect(app.outbox.lastTo(owner.person.email).text).toContain('open session')
    expect(await app.db.auditEvent.count({ where: { userId: owner.userId, action: 'pause-password' } })).toBe(1)
    const locked = await change()
    expect([locked.status, locked.code]).toEqual([429, 'PASSWORD_LOCKED'])
    await guessPassword(app, owner.person, second)
    expect(await getCounters(owner.person)).toEqual([known + 1, 1])
    expect((await signInFromNewAddress(app, owner.person, second)).status).toBe(200)
    expect(await getCounters(owner.person)).toEqual([0, 0])
  })

  test('T15, T20: compares no more of a hundred parallel guesses than the limit leaves, and counts each', async () => {
    const owner = await app.verified()
    await app.db.account.updateMany({ where: { user: { email: owner.email } }, data: { unknownGuesses: unknown - 7 } })
    const compared = countCompared(app)
    const answers = await Promise.all(Array.from({ length: 100 }, () => guessPassword(app, owner)))
    expect(answers.every(({ code }) => code === 'INVALID_EMAIL_OR_PASSWORD')).toBe(true)
    expect(compared.count).toBe(7)
    expect(await getCounters(owner)).toEqual([0, unknown + 1])
    expect(await countPauseMails(owner)).toBe(1)
  })

  test('counts no guess when the hashing queue is full', async () => {
    const owner = await limited.signedIn()
    const { passwords } = limited.service.deps
    const full = createPasswordHasher()
    const busy: Promise<unknown>[] = []
    // Each comparison holds its place in the queue. It fails at the end, because a hundred real ones would take long.
    const { promise: held, reject: releaseAll } = Promise.withResolvers<null>()
    onTestFinished(async () => {
      limited.service.deps.passwords = passwords
      releaseAll(new Error('released'))
      await Promise.all(busy)
    })
    limited.service.deps.passwords = full
    while (full.load().refused === 0) busy.push(full.verify(() => held, 'x').catch(() => false))
    for (let count = 0; count < 25; count += 1) {
      expect((await signInFromNewAddress(limited, owner.person, owner)).code).toBe('SERVICE_BUSY')
      expect((await signInFromNewAddress(limited, owner.person)).code).toBe('SERVICE_BUSY')
    }
    const change = { currentPassword: owner.person.password, newPassword: 'violet harbor ladder' }
    for (let count = 0; count < 6; count += 1)
      expect((await owner.post('/auth/change-password', change)).code).toBe('SERVICE_BUSY')
    expect(await getCounters(owner.person, limited)).toEqual([0, 0])
    limited.service.deps.passwords = passwords
    expect((await owner.post('/auth/change-password', change)).status).toBe(200)
    expect((await signInFromNewAddress(limited, { ...owner.person, password: change.newPassword })).status).toBe(200)
  })

  test('notifies the owner on the next guess when the earlier notice was not sent', async () => {
    const owner = await app.verified()
    await app.db.account.updateMany({ where: { user: { email: owner.email } }, data: { unknownGuesses: unknown } })
    for (let count = 0; count < 3; count += 1) await guessPassword(app, owner)
    expect(await countPauseMails(owner)).toBe(1)
    expect(await getCounters(owner)).toEqual([0, unknown + 1])
  })

  test('notifies no owner when the account is unverified, suspended or without a password', async () => {
    const unverified = await app.signUp()
    const [suspended, cleared] = [await app.verified(), await app.verified()]
    await app.db.user.update({ where: { email: suspended.email }, data: { suspendedAt: new Date() } })
    await app.db.account.updateMany({ where: { user: { email: cleared.email } }, data: { passwordHash: null } })
    for (const person of [unverified, suspended, cleared]) {
      await app.db.account.updateMany({ where: { user: { email: person.email } }, data: { unknownGuesses: unknown - 1 } })
      for (let count = 0; count < 2; count += 1) await guessPassword(app, person)
      expect(await countPauseMails(person)).toBe(0)
    }
  })

  test('T16: counts a guess even when its request fails afterwards', async () => {
    const owner = await app.verified()
    const { passwords } = app.service.deps
    onTestFinished(() => {
      app.service.deps.passwords = passwords
    })
    app.service.deps.passwords = {
      ...passwords,
      async verify(known) {
        if (typeof known === 'function') await known()
        throw new Error('broken')
      },
    }
    expect((await guessPassword(app, owner)).status).toBe(500)
    expect(await getCounters(owner)).toEqual([0, 1])
  })

  test('does not count the right password when the database fails the sign-in', async () => {
    const owner = await app.verified()
    await guessPassword(app, owner)
    const { sql } = app.service.deps
    onTestFinished(() => void vi.restoreAllMocks())
    const full = Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' })
    vi.spyOn(sql, 'transaction').mockRejectedValueOnce(full)
    expect((await signInFromNewAddress(app, owner)).status).toBe(503)
    await eventually(async () => expect(await getCounters(owner)).toEqual([0, 0]))
  })

  test('does not count the right password of an unverified email', async () => {
    const person = await app.signUp()
    await guessPassword(app, person)
    expect((await signInFromNewAddress(app, person)).code).toBe('EMAIL_NOT_VERIFIED')
    expect(await getCounters(person)).toEqual([0, 0])
  })
})

describe('the cookie of a known device', () => {
  const name = 'floorpass_known_device'
  /** Whether a guess with this cookie counts for known devices. */
  const isKnown = async (owner: Person, cookie: string) => {
    const tab = app.browser()
    tab.cookies.set(name, cookie)
    const [before] = await getCounters(owner)
    await guessPassword(app, owner, tab)
    const [after] = await getCounters(owner)
    return after === Number(before) + 1
  }

  test('does not work altered, cut, padded or for another account, and opens no session', async () => {
    const [owner, other] = [await app.signedIn(), await app.signedIn()]
    const deviceCookie = owner.cookies.get(name) ?? ''
    expect(await isKnown(owner.person, deviceCookie)).toBe(true)
    expect(await isKnown(other.person, deviceCookie)).toBe(false)
    const flipped = `${deviceCookie.slice(0, -2)}${deviceCookie.at(-2) === 'A' ? 'B' : 'A'}${deviceCookie.at(-1)}`
    const respelled = [
      `${deviceCookie}.1`,
      `${deviceCookie}=`,
      `${deviceCookie}*`,
      `${deviceCookie.slice(0, 20)}*${deviceCookie.slice(20)}`,
    ]
    for (const forged of [flipped, deviceCookie.slice(0, -1), '~', 'x', deviceCookie.repeat(2), ...respelled])
      expect([forged.length, await isKnown(owner.person, forged)]).toEqual([forged.length, false])
    const headers = { cookie: `${name}=${deviceCookie}` }
    expect((await app.browser().get('/auth/get-session', { headers })).body).toBeNull()
  })

  test('lasts 180 days from the last sign-in, and a copy is not extended', async () => {
    const owner = await app.signedIn()
    const copied = owner.cookies.get(name) ?? ''
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + (policy.passwordGuesses.deviceLifetime - 60) * 1000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await isKnown(owner.person, copied)).toBe(true)
    expect((await signInFromNewAddress(app, owner.person, owner)).status).toBe(200)
    vi.setSystemTime(Date.now() + 120_000)
    expect(await isKnown(owner.person, copied)).toBe(false)
    expect(await isKnown(owner.person, owner.cookies.get(name) ?? '')).toBe(true)
  })

  test.each(['revoke-sessions', 'revoke-other-sessions'])('stops working on every other device after %s', async (route) => {
    const owner = await app.signedIn()
    const copied = owner.cookies.get(name) ?? ''
    expect((await owner.post(`/auth/${route}`)).status).toBe(200)
    expect(await isKnown(owner.person, copied)).toBe(false)
    expect(await isKnown(owner.person, owner.cookies.get(name) ?? '')).toBe(route === 'revoke-other-sessions')
  })

  test('stops working when an operator ends every session or clears the password', async () => {
    const operator = createOperator(app.service.deps, 'grace')
    const owner = await app.signedIn()
    const copied = owner.cookies.get(name) ?? ''
    await endUserSessions(operator, owner.person.email)
    expect(await isKnown(owner.person, copied)).toBe(false)
    await signInFromNewAddress(app, owner.person, owner)
    const renewed = owner.cookies.get(name) ?? ''
    await suspendUser(operator, owner.person.email, 'stolen')
    await restoreUser(operator, owner.person.email, 'stolen', { clearPassword: true })
    expect(await isKnown(owner.person, renewed)).toBe(false)
  })

  test('remembers the last five accounts of a browser, even after signing out', async () => {
    const tab = app.browser()
    const people: Person[] = []
    for (let count = 0; count < 6; count += 1) {
      const person = await app.verified()
      people.push(person)
      await signInFromNewAddress(app, person, tab)
      await tab.post('/auth/sign-out')
    }
    const cookie = tab.cookies.get(name) ?? ''
    expect(cookie.length).toBeLessThan(2000)
    const knows = []
    for (const person of people) knows.push(await isKnown(person, cookie))
    expect(knows).toEqual([false, true, true, true, true, true])
  })

  test('is set after the second step, not after the password', async () => {
    const owner = await app.signedIn()
    await app.db.user.update({ where: { id: owner.userId }, data: { twoFactorEnabled: true } })
    const tab = app.browser()
    expect((await signInFromNewAddress(app, owner.person, tab)).body).toMatchObject({ twoFactorRedirect: true })
    expect(tab.cookies.has(name)).toBe(false)
  })
})
