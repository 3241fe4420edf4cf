import { setTimeout as delay } from 'node:timers/promises'
import { policy } from '@floorpass/api'
import { createMailServer } from '../mail-server.ts'
import { ask, expectOk, newPerson, type Person, signUp } from '../person.ts'
import { expectThat, type Scenario } from '../scenario.ts'
import { startSteppedService } from '../stepped-service.ts'

const outage = 3_700
const sentAtOnce = policy.mail.atOnce

export const mailOutage: Scenario = {
  name: 'mail-outage',
  promise:
    'The mail server is down for an hour, and every request still succeeds. When it is back, each mail leaves once and in order, except mails with an expired link. A refused or slow mail does not delay the others.',
  needs: [],
  async run({ quick, folder, say }) {
    const server = await createMailServer()
    await server.start()
    const directory = await folder()
    const service = await startSteppedService(directory, {
      DATA_DIR: directory,
      SMTP_URL: server.url,
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'info',
    })
    const target = { url: service.url, origin: service.url }
    const problems: string[] = []
    const receivedBy = ({ email }: Person, subject: RegExp) =>
      server.received.filter((mail) => mail.to === email && subject.test(mail.subject))
    const waitForMails = async (count: number, withinMs: number) => {
      const started = Date.now()
      while (server.received.length < count && Date.now() - started < withinMs) await delay(20)
      return Date.now() - started
    }
    let requests = 0
    const send = async (path: string, body: unknown) => {
      requests += 1
      expectOk(await ask(target, 'POST', path, { body }))
    }

    const former = Array.from({ length: 5 }, () => newPerson())
    for (const person of former) expectOk(await signUp(target, person))
    await waitForMails(former.length, 20_000)
    const before = server.received.length
    await server.stop()

    // Their reset links expire during the outage, after an hour.
    for (const { email } of former) await send('/auth/forget-password', { email })
    const people = Array.from({ length: quick ? 10 : 60 }, () => newPerson())
    const special = ['bad', 'slow'].map((name) => ({ ...newPerson(), email: `${name}@example.test` }))
    const steps = quick ? 2 : 12
    const queue = [...special, ...people]
    for (let step = 0; step < steps; step += 1) {
      const share = queue.splice(0, Math.ceil((people.length + special.length) / steps))
      for (const person of share) await send('/auth/sign-up/email', person)
      // Wait longer than the queue's poll, so that it runs after every step.
      await delay(5_500)
      await service.step(outage / steps)
    }
    say(`an hour later: ${server.received.length - before} mails sent, ${people.length + special.length + former.length} queued`)
    // A second request by the same user: only its newer link works.
    const late = former[0] as Person
    await send('/auth/forget-password', { email: late.email })

    await server.start()
    // Skip the longest pause between two attempts.
    if (quick) await service.step(policy.mail.longestPause)
    const due = people.length + 1 + 1
    const took = await waitForMails(before + due, 120_000)
    await delay(quick ? 1_000 : 12_000)
    const { code } = await service.end('SIGTERM')
    await server.stop()

    const order = server.received.slice(before).map(({ to }) => to)
    const positions = order.map((to) => people.findIndex(({ email }) => email === to)).filter((position) => position >= 0)
    const attempts = service.logs().filter(({ msg }) => String(msg).startsWith('mail server unavailable')).length
    const furthest = placesOutOfOrder(positions, attempts)
    const wanted = new Set([...people.map(({ email }) => email), 'slow@example.test', late.email])
    const ids = server.received.map(({ messageId }) => messageId)
    expectThat(problems, order.length === due, `${order.length} mails arrived, ${due} were due`)
    expectThat(
      problems,
      [...wanted].every((to) => order.filter((other) => other === to).length === 1),
      'a mail arrived twice or never',
    )
    expectThat(problems, new Set(ids).size === ids.length, 'two mails share a Message-ID')
    expectThat(problems, furthest <= sentAtOnce, `a mail left ${furthest} places out of order`)
    expectThat(problems, receivedBy(late, /password/i).length === 1, 'a link that had expired was sent')
    expectThat(problems, took < 75_000, `the mails took ${took} ms`)
    expectThat(problems, code === 0, `the service exited with code ${code}`)
    return {
      load: `${people.length + special.length} sign-ups and ${former.length + 1} resets over the hour`,
      faults: `the mail server down for ${Math.round(outage / 60)} minutes of the service's clock, in ${steps} steps; one recipient refused for good, one slow`,
      requests: requests + former.length,
      lost: `nothing: ${order.length} of ${due} mails arrived, none twice; ${former.length} expired reset links were not sent; at most ${furthest} places out of order, with ${sentAtOnce} sent in parallel`,
      recovery: `all mails left within ${(took / 1000).toFixed(1)} s of the mail server's return, after ${attempts} failed attempts`,
      problems,
    }
  },
}

/** How far a mail left its place, apart from those that a failed attempt postponed: one for each. */
function placesOutOfOrder(positions: number[], attempts: number): number {
  const byDistance = [...positions.entries()].toSorted(
    ([arrival, position], [otherArrival, other]) => Math.abs(other - otherArrival) - Math.abs(position - arrival),
  )
  const postponed = new Set(byDistance.slice(0, attempts).map(([, position]) => position))
  const punctual = positions.filter((position) => !postponed.has(position))
  const inOrder = punctual.toSorted((one, other) => one - other)
  return Math.max(...punctual.map((position, arrival) => Math.abs(inOrder.indexOf(position) - arrival)))
}
