import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { generate } from 'otplib'
import { ask, cookiesOf, expectOk, mailedToken, newPerson, outboxOf, type Reply, signIn, signUp } from '../person.ts'
import { expectThat, type Scenario } from '../scenario.ts'
import { startSteppedService } from '../stepped-service.ts'

const hour = 3_600

export const clockSteps: Scenario = {
  name: 'clock-steps',
  promise:
    'The clock of the service steps an hour back and forward (T104). Used secrets stay used, no session outlives its limit, mails leave, and no loop spins.',
  needs: [],
  async run({ quick, folder, say }) {
    const directory = await folder()
    const service = await startSteppedService(directory, { DATA_DIR: directory, RATE_LIMIT: 'off', LOG_LEVEL: 'warn' })
    const target = { url: service.url, origin: service.url }
    const mailbox = outboxOf(directory)
    const problems: string[] = []
    let requests = 0
    const post = (path: string, body: unknown, cookie?: string): Promise<Reply> => {
      requests += 1
      return ask(target, 'POST', path, { body, cookie })
    }
    const formatReply = ({ status, body }: Reply) => `${status} ${body?.code ?? ''}`.trim()
    const findSessionUser = async (cookie: string) =>
      (await ask(target, 'GET', '/auth/get-session', { cookie })).body?.user ?? null

    const measureLoad = async () => {
      const ticks = async () => {
        const [, rest = ''] = (await readFile(`/proc/${service.pid}/stat`, 'utf8')).split(') ')
        const fields = rest.split(' ').map(Number)
        return (fields[11] ?? 0) + (fields[12] ?? 0)
      }
      const before = await ticks()
      await delay(watched * 1_000)
      return ((await ticks()) - before) / 100 / watched
    }
    const watched = quick ? 1.5 : 4
    const busy: number[] = []

    const rounds = quick ? 1 : 3
    for (let round = 0; round < rounds; round += 1) {
      const person = newPerson()
      expectOk(await signUp(target, person))
      const token = await mailedToken(mailbox, person.email, 'verify-email')
      expectOk(await post('/auth/verify-email', { token }))
      const session = cookiesOf(expectOk(await signIn(target, person)))
      const short = cookiesOf(expectOk(await post('/auth/sign-in/email', { ...person, rememberMe: false })))
      expectOk(await post('/auth/forget-password', { email: person.email }))
      const used = await mailedToken(mailbox, person.email, 'reset-password')
      expectOk(await post('/auth/reset-password', { token: used, newPassword: `${person.password} new` }))
      person.password = `${person.password} new`
      expectThat(
        problems,
        (await findSessionUser(session)) === null && (await findSessionUser(short)) === null,
        'a reset left a session alive',
      )

      const lasting = cookiesOf(expectOk(await signIn(target, person)))
      const enabled = expectOk(await post('/auth/two-factor/enable', { password: person.password }, lasting))
      const secret = new URL(String(enabled.body?.totpURI)).searchParams.get('secret') ?? ''
      const first = await generate({ secret, epoch: Math.floor(service.now() / 1000) })
      const confirmed = expectOk(await post('/auth/two-factor/verify-totp', { code: first }, lasting))
      const device = cookiesOf(confirmed) || lasting
      await service.step(60)
      const challenge = cookiesOf(expectOk(await signIn(target, person)))
      const code = await generate({ secret, epoch: Math.floor(service.now() / 1000) })
      expectOk(await post('/auth/two-factor/verify-totp', { code }, challenge))

      for (const step of quick ? [-hour, hour] : [-hour, hour, hour, -hour]) {
        await service.step(step)
        const again = formatReply(await post('/auth/reset-password', { token: used, newPassword: 'plum kettle orbit twice' }))
        expectThat(
          problems,
          /^400 (INVALID_TOKEN|TOKEN_EXPIRED)$/.test(again),
          `a reset link worked again after ${step} s: ${again}`,
        )
        const next = cookiesOf(expectOk(await signIn(target, person)))
        const replayed = formatReply(await post('/auth/two-factor/verify-totp', { code }, next))
        expectThat(problems, replayed === '401 INVALID_CODE', `a code worked again after ${step} s: ${replayed}`)
        expectThat(problems, (await findSessionUser(session)) === null, `an ended session came back after ${step} s`)
        expectThat(problems, (await findSessionUser(device)) !== null, `a session ended at a step of ${step} s`)
        const other = newPerson()
        expectOk(await signUp(target, other))
        await mailedToken(mailbox, other.email, 'verify-email').catch(() =>
          problems.push(`no mail left after a step of ${step} s`),
        )
        busy.push(await measureLoad())
      }

      // An unused session lasts seven days. Once expired, it stays expired when the clock steps back.
      await service.step(7 * 24 * hour + 60)
      expectThat(problems, (await findSessionUser(device)) === null, 'a session outlived its limit')
      await service.step(-(7 * 24 * hour + 60))
      expectThat(problems, (await findSessionUser(device)) === null, 'an expired session came back')
      say(`round ${round + 1}: busy ${Math.max(...busy).toFixed(2)}`)
    }
    const { code } = await service.end('SIGTERM')
    const failures = service.logs().filter(({ level }) => Number(level) >= 50).length
    expectThat(problems, Math.max(...busy) < 0.5, `the service used ${Math.max(...busy).toFixed(2)} of a core`)
    expectThat(problems, failures === 0, `${failures} errors in the log`)
    expectThat(problems, code === 0, `the service exited with code ${code}`)
    return {
      load: 'one person at a time: sign-up, reset, two-factor, sessions',
      faults: `${rounds * (quick ? 2 : 4)} steps of an hour, both ways, and ${rounds * 2} of a week`,
      requests,
      lost: 'no used or expired secret became valid again',
      recovery: `none needed; at most ${Math.round(Math.max(...busy) * 100)} % of a core after a step`,
      problems,
    }
  },
}
