import { limits, policy } from '@floorpass/api'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTestApp, type Person, type TestApp } from '../../test-support/create-test-app.ts'

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
const countersOf = async ({ email }: Person) => {
  const { knownGuesses, unknownGuesses } = await app.db.account.findFirstOrThrow({ where: { user: { email } } })
  return [knownGuesses, unknownGuesses]
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
    verify(hash, password) {
      if (hash !== null) compared.count += 1
      return passwords.verify(hash, password)
    },
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
    const windows = ['sign-in:account', 'sign-in:account-hour', 'sign-in:account-day'] as const
    const waits: number[] = []
    // What is compared before each wait: ten, ten more after the first window, twenty more after the second.
    for (const [rounds, over] of [
      [1, 0],
      [1, 1],
      [2, 2],
    ] as const) {
      for (let round = 0; round < rounds; round += 1) {
        if (over > 0) await limiter.reset(windows[0], owner.email)
        await guessOften(limited, owner, 10)
      }
      for (const window of windows.slice(0, over)) await limiter.reset(window, owner.email)
      const refused = await guess(limited, owner)
      expect([refused.status, refused.code]).toEqual([429, 'TOO_MANY_REQUESTS'])
      waits.push(Number(refused.headers.get('retry-after')))
      if (over === 1) await limiter.reset(windows[1], owner.email)
    }
    expect(waits).toEqual(windows.map((window) => expect.closeTo(limits[window].seconds, -2)))
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

  test('a known device has five tries of its own, and a right one gives them back', async () => {
    const owner = await limited.signedIn()
    for (let round = 0; round < 2; round += 1) {
      for (let count = 0; count < 4; count += 1)
        expect((await guess(limited, owner.person, owner)).code).toBe('INVALID_EMAIL_OR_PASSWORD')
      expect((await signIn(limited, owner.person, owner)).status).toBe(200)
    }
    for (let count = 0; count < 5; count += 1) await guess(limited, owner.person, owner)
    expect((await signIn(limited, owner.person, owner)).code).toBe('TOO_MANY_REQUESTS')
    expect((await signIn(limited, owner.person)).status).toBe(200)
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
    expect(await countersOf(owner.person)).toEqual([known, 0])
    const locked = await change()
    expect([locked.status, locked.code]).toEqual([429, 'ACCOUNT_TEMPORARILY_LOCKED'])
    await guess(app, owner.person, second)
    expect(await countersOf(owner.person)).toEqual([known, 1])
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
    expect(await countersOf(owner)).toEqual([0, unknown])
    await app.mailed()
    expect(app.outbox.to(owner.email).filter(({ text }) => text.includes('wrong passwords'))).toHaveLength(1)
  })

  test('T16: a guess whose request fails afterwards is counted all the same', async () => {
    const owner = await app.verified()
    const { passwords } = app.service.deps
    onTestFinished(() => {
      app.service.deps.passwords = passwords
    })
    app.service.deps.passwords = { ...passwords, verify: () => Promise.reject(new Error('broken')) }
    expect((await guess(app, owner)).status).toBe(500)
    expect(await countersOf(owner)).toEqual([0, 1])
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

  test('is worth nothing altered, for another account, or after the password was changed; it opens nothing', async () => {
    const [owner, other] = [await app.signedIn(), await app.signedIn()]
    const mark = owner.cookies.get(name) ?? ''
    expect(await isKnown(owner.person, mark)).toBe(true)
    expect(await isKnown(other.person, mark)).toBe(false)
    const flipped = `${mark.slice(0, -2)}${mark.at(-2) === 'A' ? 'B' : 'A'}${mark.at(-1)}`
    for (const forged of [flipped, mark.slice(0, -1), '~', '~~~', 'x', mark.repeat(2), `${'~'.repeat(5)}${mark}`])
      expect([forged.length, await isKnown(owner.person, forged)]).toEqual([forged.length, false])
    const headers = { cookie: `${name}=${mark}` }
    expect((await app.browser().get('/auth/get-session', { headers })).body).toBeNull()

    const newPassword = 'violet harbor ladder'
    await owner.post('/auth/change-password', { currentPassword: owner.person.password, newPassword })
    expect(await isKnown(owner.person, mark)).toBe(false)
    expect(await isKnown(owner.person, owner.cookies.get(name) ?? '')).toBe(true)
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
