import { outcome } from '@floorpass/testing/browser'
import { describe, expect, test } from 'vitest'
import { startChallenge, verifyBackup, verifyTotp, withFactor } from './factor.ts'
import { app, differs } from './suite.ts'

const wrong = '000000'
const minute = 60

describe('wrong codes of one sign-in (two-factor.attempt-cap)', () => {
  test.each([
    ['authenticator codes', verifyTotp, 'INVALID_CODE'],
    ['backup codes', verifyBackup, 'INVALID_BACKUP_CODE'],
  ] as const)('end it after five %s', async (_, verify, code) => {
    const { person, authenticator, backupCodes } = await withFactor()
    const { tab } = await startChallenge(person)
    const right = verify === verifyTotp ? authenticator.code() : backupCodes[0]
    for (let attempt = 0; attempt < 5; attempt++) expect(outcome(await verify(tab, wrong))).toEqual([401, code])
    expect(outcome(await verify(tab, right))).toEqual([400, 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE'])
    expect(outcome(await verify(tab, right))).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
  })

  const unreadable = 'Codes while AUTH_SECRET does not open the secret of the factor'
  differs(unreadable, 'count while the secret of the factor cannot be read', async () => {
    const { person, authenticator, userId } = await withFactor()
    const { tab } = await startChallenge(person)
    const { secretSealed } = await app.db.twoFactor.findUniqueOrThrow({ where: { userId } })
    await app.db.twoFactor.update({ where: { userId }, data: { secretSealed: 'unreadable' } })
    expect(outcome(await verifyTotp(tab, authenticator.code()))).toEqual([401, 'INVALID_CODE'])
    const { failedAttempts } = await app.db.twoFactor.update({ where: { userId }, data: { secretSealed } })
    expect([failedAttempts, (await verifyTotp(tab, authenticator.code())).status]).toEqual([1, 200])
  })

  test('end it after five also when twenty arrive at once', async () => {
    const { person } = await withFactor()
    const { tab } = await startChallenge(person)
    const answers = await Promise.all(Array.from({ length: 20 }, () => verifyTotp(tab, wrong)))
    expect(answers.filter(({ status }) => status === 200)).toEqual([])
    expect(answers.filter(({ code }) => code === 'INVALID_CODE').length).toBeLessThanOrEqual(5)
  })
})

describe('wrong codes of several sign-ins (two-factor.account-lockout)', () => {
  /** The number of wrong codes so far; the tenth locks. */
  const setFailures = (userId: string, failedAttempts: number) =>
    app.db.twoFactor.update({ where: { userId }, data: { failedAttempts } })
  /** Enters wrong codes, each in another sign-in. */
  const fail = async (person: { email: string; password: string }, times: number, verify: typeof verifyBackup = verifyTotp) => {
    for (let attempt = 0; attempt < times; attempt++)
      expect((await verify((await startChallenge(person)).tab, wrong)).status).toBe(401)
  }

  test('lock the account for a while, also against the right code', async () => {
    const { person, authenticator, clock, userId } = await withFactor()
    await setFailures(userId, 7)
    await fail(person, 3)
    const { tab } = await startChallenge(person)
    expect(outcome(await verifyTotp(tab, authenticator.code()))).toEqual([429, 'ACCOUNT_TEMPORARILY_LOCKED'])
    clock.advance(16 * minute)
    expect((await verifyTotp((await startChallenge(person)).tab, authenticator.code())).status).toBe(200)
  })

  test('are forgotten after a right one', async () => {
    const { person, authenticator, userId } = await withFactor()
    await setFailures(userId, 9)
    expect((await verifyTotp((await startChallenge(person)).tab, authenticator.code())).status).toBe(200)
    await fail(person, 1)
    expect((await verifyTotp((await startChallenge(person)).tab, authenticator.code(1))).status).toBe(200)
  })

  test('count together for both kinds of codes', async () => {
    const { person, authenticator, userId } = await withFactor()
    await setFailures(userId, 7)
    await fail(person, 2)
    await fail(person, 1, verifyBackup)
    const { tab } = await startChallenge(person)
    expect(outcome(await verifyTotp(tab, authenticator.code()))).toEqual([429, 'ACCOUNT_TEMPORARILY_LOCKED'])
  })
})

describe('the challenge of a sign-in (two-factor.security)', () => {
  test('ends after ten minutes, and then opens no session', async () => {
    const { person, authenticator, clock, userId } = await withFactor()
    const { tab } = await startChallenge(person)
    clock.advance(10 * minute + 1)
    const before = await app.db.session.count({ where: { userId } })
    const answer = await verifyTotp(tab, authenticator.code())
    expect(outcome(answer)).toEqual([401, 'INVALID_TWO_FACTOR_COOKIE'])
    expect([await app.db.session.count({ where: { userId } }), tab.cookies.has('local-floorpass_session')]).toEqual([
      before,
      false,
    ])
  })

  test('opens one session when its code arrives twice at once', async () => {
    const { person, authenticator, userId } = await withFactor()
    const { tab } = await startChallenge(person)
    const before = await app.db.session.count({ where: { userId } })
    const answers = await Promise.all([1, 2].map(() => verifyTotp(tab, authenticator.code())))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    expect(await app.db.session.count({ where: { userId } })).toBe(before + 1)
  })
})
