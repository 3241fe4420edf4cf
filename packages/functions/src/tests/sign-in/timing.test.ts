import { createPasswordHasher, createResponseFloor } from '@floorpass/api'
import { createTestApp, type Person } from '@floorpass/testing/create-test-app'
import { describe, expect, test } from 'vitest'

const app = await createTestApp()
// A cheap hash would hide the difference that this test measures.
app.service.deps.passwords = createPasswordHasher()
app.service.deps.responseFloor = createResponseFloor()

/** The separation of two equal lists of this length is 0.5 ± 0.053: the bounds of 0.3 and 0.7 are almost four deviations away. */
const count = 60
/** Few enough that no caller waits for another's hash longer than the response floor. */
const callers = 4

/** One for each caller: requests for one email run in turn, and the limits allow five an hour. */
const known = await Promise.all(Array.from({ length: callers }, () => app.verified()))

const socialOnly = await Promise.all(Array.from({ length: callers }, () => app.verified()))
await app.db.account.deleteMany({ where: { user: { email: { in: socialOnly.map(({ email }) => email) } } } })
const suspended = await Promise.all(Array.from({ length: callers }, () => app.verified()))
await app.db.user.updateMany({
  where: { email: { in: suspended.map(({ email }) => email) } },
  data: { suspendedAt: new Date() },
})

type Call = (email: string) => [path: string, body: Record<string, string>]
const signIn: Call = (email) => ['/auth/sign-in/email', { email, password: 'something else entirely' }]
/** Only the right password of a suspended account reaches the refusal after the comparison. */
const signInWithRightPassword: Call = (email) => [
  '/auth/sign-in/email',
  { email, password: suspended.find((person) => person.email === email)?.password ?? 'something else entirely' },
]
const calls: Record<string, [call: Call, known: Person[]]> = {
  'forget-password': [(email) => ['/auth/forget-password', { email }], known],
  'sign-in with a wrong password': [signIn, known],
  'sign-in to an account without a password': [signIn, socialOnly],
  'sign-in to a suspended account': [signInWithRightPassword, suspended],
  'sign-up': [(email) => ['/auth/sign-up/email', { name: 'Ada', email, password: 'violet harbor ladder' }], known],
}

const percentile = (sorted: number[], share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN

/** How often a value of one list exceeds one of the other: 0.5 when they do not differ (Mann-Whitney). */
function separation(left: number[], right: number[]): number {
  const wins = left.flatMap((one) => right.map((other): number => (one > other ? 1 : one === other ? 0.5 : 0)))
  return wins.reduce((sum, win) => sum + win, 0) / wins.length
}

describe.each(Object.entries(calls))('T2, T5: the time of %s', (name, [callOf, people]) => {
  test('does not reveal whether the email is known', async () => {
    const times = { known: [] as number[], unknown: [] as number[] }
    const queue = Array.from({ length: 2 * count }, (_, index) => ({
      kind: index % 2 === 0 ? ('known' as const) : ('unknown' as const),
      email: index % 2 === 0 ? (people[(index / 2) % callers]?.email ?? '') : app.person().email,
    }))
    const caller = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [path, body] = callOf(next.email)
        const started = performance.now()
        await app.browser().post(path, body)
        times[next.kind].push(performance.now() - started)
      }
    }
    await Promise.all(Array.from({ length: callers }, caller))
    await app.drainMail()

    const [left, right] = [times.known, times.unknown].map((list) => list.toSorted((one, other) => one - other)) as [
      number[],
      number[],
    ]
    const auc = separation(left, right)
    const format = (list: number[]) => `p50 ${percentile(list, 0.5).toFixed(1)} ms, p95 ${percentile(list, 0.95).toFixed(1)} ms`
    process.stdout.write(`${name}, ${count} each: known ${format(left)}; unknown ${format(right)}; AUC ${auc.toFixed(2)}\n`)
    expect([left.length, right.length]).toEqual([count, count])
    expect(auc).toBeGreaterThan(0.3)
    expect(auc).toBeLessThan(0.7)
    expect(Math.min(...left, ...right)).toBeGreaterThan(195)
  })
})
