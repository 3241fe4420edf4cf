import { createContext, createPasswordHasher, limits, policy } from '@floorpass/api'
import { restoreUser, revokeUserSessions, suspendUser } from '@floorpass/api/administration'
import { createTestApp, type Person, type TestApp } from '@floorpass/testing/create-test-app'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const app = await createTestApp()
const limited = await createTestApp({ RATE_LIMIT: 'on' })

const wrong = 'something else'
const { known, unknown } = policy.passwordGuesses
let caller = 0
/** A sign-in from an address that nobody had before. */
const signIn = (somewhere: TestApp, { email, password }: Pick<Person, 'email' | 'password'>, tab = somewhere.browser()) => {
  caller += 1
  return tab.post('/auth/sign-in/email', { email, password }, { ip: `2001:db8:${caller.toString(16)}::1` })
}
const guess = (somewhere: TestApp, { email }: Pick<Person, 'email'>, tab?: ReturnType<TestApp['browser']>) =>
  signIn(somewhere, { email, password: wrong }, tab)
const guessOften = async (somewhere: TestApp, person: Pick<Person, 'email'>, times: number) => {
  for (let count = 0; count < times; count += 1) await guess(somewhere, person)
}
const countersOf = async ({ email }: Person, somewhere = app) => {
  const { knownGuesses, unknownGuesses } = await somewhere.db.account.findFirstOrThrow({ where: { user: { email } } })
  return [knownGuesses, unknownGuesses]
}
const pauseMails = async ({ email }: Person) => {
  await app.mailed()
  return app.outbox.to(email).filter(({ subject }) => subject.startsWith('Somebody is guessing')).length
}
const resetLink = async (somewhere: TestApp, { email }: Person) => {
  await somewhere.browser().post('/auth/forget-password', { email })
  await somewhere.mailed()
  return somewhere.outbox.lastTo(email).token
}

/** How many hashes of an account were compared. */
function countCompared(somewhere: TestApp) {
  const { passwords } = somewhere.service.deps
  const compared = { count: 0 }
  onTestFinished(() => {
    somewhere.service.deps.passwords = passwords
  })
  somewhere.service.deps.passwords = {
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

describe('while somebody guesses at an account', () => {
  test('T13: its owner goes on signing in where they did before, and nowhere else for a while', async () => {
    const owner = await limited.signedIn()
    await guessOften(limited, owner.person, 15)
    expect((await signIn(limited, owner.person)).code).toBe('TOO_MANY_REQUESTS')
    await owner.post('/auth/sign-out')
    for (let round = 0; round < 8; round += 1) expect((await signIn(limited, owner.person, owner)).status).toBe(200)
  })

  test('the wait grows: ten minutes, an hour, a day', async () => {
    const owner = await limited.verified()
    const { limiter } = limited.service.deps
    const waits: number[] = []
    for (let used = 1; used <= 4; used += 1) {
      await guessOften(limited, owner, 10)
      const refused = await guess(limited, owner)
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

  test('an address that is typed once leaves no record for longer than ten minutes', async () => {
    const { limiter } = limited.service.deps
    const email = 'typed-once@example.test'
    await guess(limited, { email })
    expect((await limiter.consume('sign-in:account-hour', email))?.remaining).toBe(limits['sign-in:account-hour'].points - 1)
  })

  test('a reset by mail clears the way for the browser that did it, whatever the guesses go on', async () => {
    const owner = await limited.verified()
    await guessOften(limited, owner, 12)
    const tab = limited.browser()
    const newPassword = 'violet harbor ladder'
    const token = await resetLink(limited, owner)
    expect((await tab.post('/auth/reset-password', { token, newPassword })).status).toBe(200)
    expect((await tab.get('/auth/get-session')).body).toBeNull()
    await guessOften(limited, owner, 12)
    expect((await signIn(limited, { ...owner, password: newPassword }, tab)).status).toBe(200)
  })

  test('every device on which they signed in stays known after a reset on one of them, and after a change', async () => {
    const desk = await limited.signedIn()
    const phone = limited.browser()
    expect((await signIn(limited, desk.person, phone)).status).toBe(200)
    await guessOften(limited, desk.person, 12)
    let password = 'violet harbor ladder'
    const token = await resetLink(limited, desk.person)
    expect((await phone.post('/auth/reset-password', { token, newPassword: password })).status).toBe(200)
    await guessOften(limited, desk.person, 12)
    for (const tab of [desk, phone]) expect((await signIn(limited, { ...desk.person, password }, tab)).status).toBe(200)

    const change = { currentPassword: password, newPassword: 'copper meadow lantern' }
    expect((await phone.post('/auth/change-password', change)).status).toBe(200)
    password = change.newPassword
    await guessOften(limited, desk.person, 12)
    for (const tab of [desk, phone]) expect((await signIn(limited, { ...desk.person, password }, tab)).status).toBe(200)
  })

  test('a new password opens everywhere at once: the waits of the former one are over', async () => {
    const owner = await limited.signedIn()
    await guessOften(limited, owner.person, 12)
    const newPassword = 'violet harbor ladder'
    await owner.post('/auth/change-password', { currentPassword: owner.person.password, newPassword })
    expect((await signIn(limited, { ...owner.person, password: newPassword })).status).toBe(200)
    await guessOften(limited, owner.person, 12)
    const token = await resetLink(limited, owner.person)
    await limited.browser().post('/auth/reset-password', { token, newPassword: 'copper meadow lantern' })
    expect((await signIn(limited, { ...owner.person, password: 'copper meadow lantern' })).status).toBe(200)
  })

  test('a known device has five tries of its own, and a right one gives them back', async () => {
    const owner = await limited.signedIn()
    for (let round = 0; round < 2; round += 1) {
      for (let count = 0; count < 4; count += 1)
        expect((await guess(limited, owner.person, owner)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
      expect((await signIn(limited, owner.person, owner)).status).toBe(200)
    }
    for (let count = 0; count < 5; count += 1) await guess(limited, owner.person, owner)
    expect(await countersOf(owner.person, limited)).toEqual([5, 0])
    // Whoever copied its cookie cannot shut it out: it is worth no less than a stranger's device.
    expect((await guess(limited, owner.person, owner)).status).toBe(401)
    expect(await countersOf(owner.person, limited)).toEqual([5, 1])
    expect((await signIn(limited, owner.person, owner)).status).toBe(200)
  })

  test('T20: after eighty wrong passwords in a row from strangers not even the right one opens, however long they waited', async () => {
    const owner = await app.signedIn()
    const compared = countCompared(app)
    await guessOften(app, owner.person, unknown - 1)
    expect(await countersOf(owner.person)).toEqual([0, unknown - 1])
    expect(app.outbox.to(owner.person.email)).toHaveLength(1)
    await guessOften(app, owner.person, 5)
    expect(compared.count).toBe(unknown)
    const right = await signIn(app, owner.person)
    const unheard = await guess(app, { email: 'nobody@example.test' })
    expect([right.status, right.body, right.setCookies]).toEqual([401, unheard.body, []])

    await app.mailed()
    const mails = app.outbox.to(owner.person.email)
    expect(mails).toHaveLength(2)
    expect(mails.at(-1)?.text).toContain(`${app.baseUrl}/forgot-password`)
    expect(await app.db.auditEvent.count({ where: { userId: owner.userId, action: 'pause-password' } })).toBe(1)

    await owner.post('/auth/sign-out')
    expect((await signIn(app, owner.person, owner)).status).toBe(200)
    // The owner's own sign-in does not give the strangers their guesses back.
    expect((await signIn(app, owner.person)).status).toBe(401)
    const newPassword = 'violet harbor ladder'
    await app.browser().post('/auth/reset-password', { token: await resetLink(app, owner.person), newPassword })
    expect((await signIn(app, { ...owner.person, password: newPassword })).status).toBe(200)
  })

  test('T20: known devices and sessions have twenty more together, which makes a hundred; a success gives back', async () => {
    expect(known + unknown).toBeLessThanOrEqual(100)
    const owner = await app.signedIn()
    const second = app.browser()
    await signIn(app, owner.person, second)
    const change = () => owner.post('/auth/change-password', { currentPassword: wrong, newPassword: 'violet harbor ladder' })
    for (let count = 0; count < known / 2; count += 1) {
      expect((await guess(app, owner.person, second)).status).toBe(401)
      expect((await change()).code).toBe('INVALID_PASSWORD')
    }
    // One beyond the limit: its owner was told.
    expect(await countersOf(owner.person)).toEqual([known + 1, 0])
    await app.mailed()
    expect(app.outbox.lastTo(owner.person.email).text).toContain('open session')
    expect(await app.db.auditEvent.count({ where: { userId: owner.userId, action: 'pause-password' } })).toBe(1)
    const locked = await change()
    expect([locked.status, locked.code]).toEqual([429, 'PASSWORD_LOCKED'])
    await guess(app, owner.person, second)
    expect(await countersOf(owner.person)).toEqual([known + 1, 1])
    expect((await signIn(app, owner.person, second)).status).toBe(200)
    expect(await countersOf(owner.person)).toEqual([0, 0])
  })

  test('T15, T20: of a hundred guesses at once no more are compared than are left, and each is counted', async () => {
    const owner = await app.verified()
    await app.db.account.updateMany({ where: { user: { email: owner.email } }, data: { unknownGuesses: unknown - 7 } })
    const compared = countCompared(app)
    const answers = await Promise.all(Array.from({ length: 100 }, () => guess(app, owner)))
    expect(answers.every(({ code }) => code === 'INVALID_EMAIL_OR_PASSWORD')).toBe(true)
    expect(compared.count).toBe(7)
    expect(await countersOf(owner)).toEqual([0, unknown + 1])
    expect(await pauseMails(owner)).toBe(1)
  })

  test('a full queue costs nobody a guess', async () => {
    const owner = await limited.signedIn()
    const { passwords } = limited.service.deps
    const full = createPasswordHasher()
    const busy: Promise<unknown>[] = []
    onTestFinished(async () => {
      limited.service.deps.passwords = passwords
      await Promise.all(busy)
    })
    limited.service.deps.passwords = full
    // Each holds its place until it is let go.
    let letGo = (_hash: null) => {}
    const held = new Promise<null>((resolve) => {
      letGo = resolve
    })
    while (full.load().refused === 0) busy.push(full.verify(() => held, 'x').catch(() => false))
    for (let count = 0; count < 25; count += 1) {
      expect((await signIn(limited, owner.person, owner)).code).toBe('SERVICE_BUSY')
      expect((await signIn(limited, owner.person)).code).toBe('SERVICE_BUSY')
    }
    const change = { currentPassword: owner.person.password, newPassword: 'violet harbor ladder' }
    for (let count = 0; count < 6; count += 1)
      expect((await owner.post('/auth/change-password', change)).code).toBe('SERVICE_BUSY')
    expect(await countersOf(owner.person, limited)).toEqual([0, 0])
    limited.service.deps.passwords = passwords
    letGo(null)
    expect((await owner.post('/auth/change-password', change)).status).toBe(200)
    expect((await signIn(limited, { ...owner.person, password: change.newPassword })).status).toBe(200)
  })

  test('an owner whom the request of the last guess did not tell is told by the next', async () => {
    const owner = await app.verified()
    await app.db.account.updateMany({ where: { user: { email: owner.email } }, data: { unknownGuesses: unknown } })
    for (let count = 0; count < 3; count += 1) await guess(app, owner)
    expect(await pauseMails(owner)).toBe(1)
    expect(await countersOf(owner)).toEqual([0, unknown + 1])
  })

  test('nobody is told of an account that is not theirs yet, is suspended, or has no password', async () => {
    const unproved = await app.signUp()
    const [suspended, cleared] = [await app.verified(), await app.verified()]
    await app.db.user.update({ where: { email: suspended.email }, data: { suspendedAt: new Date() } })
    await app.db.account.updateMany({ where: { user: { email: cleared.email } }, data: { passwordHash: null } })
    for (const person of [unproved, suspended, cleared]) {
      await app.db.account.updateMany({ where: { user: { email: person.email } }, data: { unknownGuesses: unknown - 1 } })
      for (let count = 0; count < 2; count += 1) await guess(app, person)
      expect(await pauseMails(person)).toBe(0)
    }
  })

  test('T16: a guess whose request fails afterwards is counted all the same', async () => {
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
    expect((await guess(app, owner)).status).toBe(500)
    expect(await countersOf(owner)).toEqual([0, 1])
  })

  test('the right password is no wrong guess either when the sign-in fails for want of a database', async () => {
    const owner = await app.verified()
    await guess(app, owner)
    const { sql } = app.service.deps
    onTestFinished(() => void vi.restoreAllMocks())
    const full = Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' })
    vi.spyOn(sql, 'transaction').mockRejectedValueOnce(full)
    expect((await signIn(app, owner)).status).toBe(503)
    await vi.waitFor(async () => expect(await countersOf(owner)).toEqual([0, 0]))
  })

  test('the right password of an unproved address is no wrong guess', async () => {
    const person = await app.signUp()
    await guess(app, person)
    expect((await signIn(app, person)).code).toBe('EMAIL_NOT_VERIFIED')
    expect(await countersOf(person)).toEqual([0, 0])
  })
})

describe('the cookie of a known device', () => {
  const name = 'floorpass_known_device'
  /** Whether guesses with this cookie fall on the counter of known devices. */
  const isKnown = async (owner: Person, cookie: string) => {
    const tab = app.browser()
    tab.cookies.set(name, cookie)
    const [before] = await countersOf(owner)
    await guess(app, owner, tab)
    const [after] = await countersOf(owner)
    return after === Number(before) + 1
  }

  test('is worth nothing altered, cut, padded or for another account; it opens nothing', async () => {
    const [owner, other] = [await app.signedIn(), await app.signedIn()]
    const mark = owner.cookies.get(name) ?? ''
    expect(await isKnown(owner.person, mark)).toBe(true)
    expect(await isKnown(other.person, mark)).toBe(false)
    const flipped = `${mark.slice(0, -2)}${mark.at(-2) === 'A' ? 'B' : 'A'}${mark.at(-1)}`
    const respelled = [`${mark}.1`, `${mark}=`, `${mark}*`, `${mark.slice(0, 20)}*${mark.slice(20)}`]
    for (const forged of [flipped, mark.slice(0, -1), '~', 'x', mark.repeat(2), ...respelled])
      expect([forged.length, await isKnown(owner.person, forged)]).toEqual([forged.length, false])
    const headers = { cookie: `${name}=${mark}` }
    expect((await app.browser().get('/auth/get-session', { headers })).body).toBeNull()
  })

  test('lives for 180 days since the last sign-in, and no longer in a copy', async () => {
    const owner = await app.signedIn()
    const copied = owner.cookies.get(name) ?? ''
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + (policy.passwordGuesses.deviceLifetime - 60) * 1000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await isKnown(owner.person, copied)).toBe(true)
    expect((await signIn(app, owner.person, owner)).status).toBe(200)
    vi.setSystemTime(Date.now() + 120_000)
    expect(await isKnown(owner.person, copied)).toBe(false)
    expect(await isKnown(owner.person, owner.cookies.get(name) ?? '')).toBe(true)
  })

  test.each(['revoke-sessions', 'revoke-other-sessions'])('%s makes every other device a stranger’s', async (route) => {
    const owner = await app.signedIn()
    const copied = owner.cookies.get(name) ?? ''
    expect((await owner.post(`/auth/${route}`)).status).toBe(200)
    expect(await isKnown(owner.person, copied)).toBe(false)
    expect(await isKnown(owner.person, owner.cookies.get(name) ?? '')).toBe(route === 'revoke-other-sessions')
  })

  test('so does an operator who ends every session, or clears the password', async () => {
    const client = { ip: null, userAgent: '', locale: 'en' } as const
    const ctx = createContext(app.service.deps, client, { get: () => undefined, all: () => [], set: () => {} })
    const operator = { ctx, name: 'grace' }
    const owner = await app.signedIn()
    const copied = owner.cookies.get(name) ?? ''
    await revokeUserSessions(operator, owner.person.email)
    expect(await isKnown(owner.person, copied)).toBe(false)
    await signIn(app, owner.person, owner)
    const renewed = owner.cookies.get(name) ?? ''
    await suspendUser(operator, owner.person.email, 'stolen')
    await restoreUser(operator, owner.person.email, 'stolen', { clearPassword: true })
    expect(await isKnown(owner.person, renewed)).toBe(false)
  })

  test('knows the last five accounts of a browser, and stays after signing out', async () => {
    const tab = app.browser()
    const people: Person[] = []
    for (let count = 0; count < 6; count += 1) {
      const person = await app.verified()
      people.push(person)
      await signIn(app, person, tab)
      await tab.post('/auth/sign-out')
    }
    const cookie = tab.cookies.get(name) ?? ''
    expect(cookie.length).toBeLessThan(2000)
    const knows = []
    for (const person of people) knows.push(await isKnown(person, cookie))
    expect(knows).toEqual([false, true, true, true, true, true])
  })

  test('comes after the second step, not after the password', async () => {
    const owner = await app.signedIn()
    await app.db.user.update({ where: { id: owner.userId }, data: { twoFactorEnabled: true } })
    const tab = app.browser()
    expect((await signIn(app, owner.person, tab)).body).toMatchObject({ twoFactorRedirect: true })
    expect(tab.cookies.has(name)).toBe(false)
  })
})
