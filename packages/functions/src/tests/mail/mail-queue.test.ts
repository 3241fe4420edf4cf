import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createMailQueue } from '@floorpass/api'
import { createSmtpTransport, type Mail, MailError, type MailTransport } from '@floorpass/email'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { createTestOutbox } from '@floorpass/testing/outbox'
import { SMTPServer } from 'smtp-server'
import { describe, expect, onTestFinished, test } from 'vitest'

const app = await createTestApp()

const letter = (to: string): Mail => ({ to, subject: 'A letter', text: 'Text', html: '<p>Text</p>' })
const queueOf = (transport: MailTransport) => {
  const { db, secretBox, log } = app.service.deps
  return createMailQueue({ db, transport, secretBox, log })
}
const hangingUpOn = (address: string, transport: MailTransport): MailTransport => ({
  ...transport,
  send: async (mail, id) => {
    if (mail.to === address) throw new MailError('MAIL_SERVER_UNAVAILABLE', 'hung up')
    await transport.send(mail, id)
  },
})
const waiting = () => app.db.queuedMail.findMany({ orderBy: { id: 'asc' } })
const empty = () => app.db.queuedMail.deleteMany()

describe('the mail queue', () => {
  test('a sign-up succeeds while the mail server is away, and its mail leaves when the server is back', async () => {
    await empty()
    const clock = holdClock()
    app.outbox.failWith(new Error('the server is away'))
    const somebody = await app.signUp()
    expect(app.outbox.to(somebody.email)).toEqual([])
    const [first] = await waiting()
    expect(first).toMatchObject({ attempts: 1, lastError: 'the server is away', nextAttemptAt: new Date(Date.now() + 10_000) })

    app.outbox.failWith(null)
    clock.advance(9)
    await app.mailed()
    expect(app.outbox.to(somebody.email)).toEqual([])
    clock.advance(1)
    await app.mailed()
    expect(app.outbox.to(somebody.email)).toHaveLength(1)
    expect(await waiting()).toEqual([])
  })

  test('waits grow fourfold from ten seconds to an hour', async () => {
    await empty()
    const clock = holdClock()
    app.outbox.failWith(new Error('the server is away'))
    await app.signUp()
    const waits: number[] = []
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      const [mail] = await waiting()
      expect(mail?.attempts).toBe(attempt)
      const wait = ((mail?.nextAttemptAt?.getTime() ?? 0) - Date.now()) / 1000
      waits.push(wait)
      clock.advance(wait)
      await app.mailed()
    }
    app.outbox.failWith(null)
    expect(waits).toEqual([10, 40, 160, 640, 2560, 3600, 3600, 3600])
  })

  test('a mail that is refused for good is not tried again, and stays for the operator, who is told', async () => {
    await empty()
    const clock = holdClock()
    const refused = ['MAIL_ADDRESS_REFUSED', 'MAIL_SUBJECT_REFUSED', 'MAIL_LINK_REFUSED', 'MAIL_SERVER_REFUSED'] as const
    for (const code of refused) {
      await empty()
      const tries: string[] = []
      const queue = queueOf({
        ...createTestOutbox(),
        send: ({ to }) => {
          tries.push(to)
          return Promise.reject(new MailError(code, `refused: ${code}`))
        },
      })
      await app.db.$transaction((tx) => queue.add(tx, letter('reader@example.test')))
      await queue.drain()
      clock.advance(24 * 3600)
      await queue.drain()
      const [mail] = await waiting()
      expect(mail).toMatchObject({ attempts: 1, nextAttemptAt: null, lastError: `refused: ${code}` })
      expect(tries).toHaveLength(1)
      expect(app.logs.filter(({ mailId }) => mailId === mail?.id)).toMatchObject([{ level: 50, reason: `refused: ${code}` }])
    }
  })

  test('a mail that the server could not take now is tried again', async () => {
    await empty()
    const clock = holdClock()
    const outbox = createTestOutbox()
    outbox.failWith(new MailError('MAIL_SERVER_UNAVAILABLE', 'come back later'))
    const queue = queueOf(outbox)
    await app.db.$transaction((tx) => queue.add(tx, letter('reader@example.test')))
    await queue.drain()
    outbox.failWith(null)
    clock.advance(10)
    await queue.drain()
    expect(outbox.mails).toHaveLength(1)
  })

  test('one mail that the server refuses does not hold up the others', async () => {
    await empty()
    const outbox = createTestOutbox()
    const picky: MailTransport = {
      ...outbox,
      send: (mail) => (mail.to === 'bad@example.test' ? Promise.reject(new Error('no')) : outbox.send(mail)),
    }
    const queue = queueOf(picky)
    for (const to of ['first@example.test', 'bad@example.test', 'last@example.test'])
      await app.db.$transaction((tx) => queue.add(tx, letter(to)))
    await queue.drain()
    expect(outbox.mails.map(({ to }) => to).sort()).toEqual(['first@example.test', 'last@example.test'])
    expect(await waiting()).toMatchObject([{ attempts: 1 }])
  })

  test('a mail that the server puts off for three days is given up, and stays for the operator', async () => {
    await empty()
    const clock = holdClock()
    const outbox = createTestOutbox()
    outbox.failWith(new MailError('MAIL_DEFERRED', 'not now'))
    const queue = queueOf(outbox)
    await app.db.$transaction((tx) => queue.add(tx, letter('reader@example.test')))
    await queue.drain()
    clock.advance(3 * 24 * 3600)
    await queue.drain()
    expect(await waiting()).toMatchObject([{ attempts: 2, nextAttemptAt: new Date(Date.now() + 40_000) }])
    clock.advance(3600)
    await queue.drain()
    expect(await waiting()).toMatchObject([{ attempts: 3, nextAttemptAt: null, lastError: 'not now' }])
  })

  test('a mail whose link has expired is dropped, and nobody gets it', async () => {
    await empty()
    const clock = holdClock()
    const somebody = await app.verified()
    app.outbox.failWith(new MailError('MAIL_SERVER_UNAVAILABLE', 'away'))
    await app.browser().post('/auth/forget-password', { email: somebody.email })
    await app.mailed()
    expect(await waiting()).toHaveLength(1)
    clock.advance(3600)
    app.outbox.failWith(null)
    await app.mailed()
    expect(await waiting()).toEqual([])
    expect(app.outbox.to(somebody.email).filter(({ link }) => link.pathname === '/reset-password')).toEqual([])
    expect(app.logs.some(({ msg }) => String(msg).includes('link expired'))).toBe(true)
  })

  test('a server that is away is asked once a minute, whatever waits, and then all go, in order', async () => {
    await empty()
    const clock = holdClock()
    const outbox = createTestOutbox()
    let tries = 0
    let isAway = true
    const queue = queueOf({
      ...outbox,
      send: async (mail) => {
        tries += 1
        if (isAway) throw new MailError('MAIL_SERVER_UNAVAILABLE', 'away')
        await outbox.send(mail)
      },
    })
    const addresses = Array.from({ length: 20 }, (_, count) => `reader-${String(count).padStart(2, '0')}@example.test`)
    for (const address of addresses) {
      await app.db.$transaction((tx) => queue.add(tx, letter(address)))
      clock.advance(0.001)
    }
    for (let second = 0; second < 3600; second += 5) {
      await queue.drain()
      clock.advance(5)
    }
    expect(tries).toBeLessThan(75)
    expect(outbox.mails).toEqual([])
    isAway = false
    tries = 0
    for (let second = 0; second <= 60; second += 5) {
      await queue.drain()
      clock.advance(5)
    }
    expect(tries).toBe(20)
    expect(await waiting()).toEqual([])
    const order = outbox.mails.map(({ to }) => to)
    expect([...order].sort()).toEqual(addresses)
    // Only the one that was tried last may change places with the one that found the server well.
    expect(order.filter((to, place) => to !== addresses[place]).length).toBeLessThanOrEqual(3)
  })

  test('a mail on which the server hangs up holds up no other', async () => {
    await empty()
    const clock = holdClock()
    const outbox = createTestOutbox()
    const queue = queueOf(hangingUpOn('poison@example.test', outbox))
    for (const to of ['poison@example.test', 'first@example.test', 'last@example.test'])
      await app.db.$transaction((tx) => queue.add(tx, letter(to)))
    await queue.drain()
    clock.advance(10)
    await queue.drain()
    await app.db.$transaction((tx) => queue.add(tx, letter('later@example.test')))
    await queue.drain()
    expect(outbox.mails.map(({ to }) => to).sort()).toEqual(['first@example.test', 'last@example.test', 'later@example.test'])
  })

  test('a mail that waited out ten days without a mail server is not given up by a process that starts meanwhile', async () => {
    await empty()
    const clock = holdClock()
    const outbox = createTestOutbox()
    outbox.failWith(new MailError('MAIL_SERVER_UNAVAILABLE', 'away'))
    await app.db.$transaction((tx) => queueOf(outbox).add(tx, letter('reader@example.test')))
    for (let day = 0; day < 10; day += 1) {
      await queueOf(outbox).drain()
      clock.advance(24 * 3600)
    }
    expect(await waiting()).toMatchObject([{ attempts: 10, nextAttemptAt: expect.any(Date) }])
    outbox.failWith(null)
    await queueOf(outbox).drain()
    expect(outbox.mails).toHaveLength(1)
  })

  test('a mail on which a server hangs up for three days, and takes others, is given up, and stays for the operator', async () => {
    await empty()
    const clock = holdClock()
    const outbox = createTestOutbox()
    const queue = queueOf(hangingUpOn('poison@example.test', outbox))
    await app.db.$transaction((tx) => queue.add(tx, letter('poison@example.test')))
    for (let hour = 0; hour <= 73; hour += 1) {
      await app.db.$transaction((tx) => queue.add(tx, letter('reader@example.test')))
      await queue.drain()
      const [poison] = await waiting()
      expect([hour, poison?.nextAttemptAt === null]).toEqual([hour, hour > 72])
      clock.advance(3600)
    }
  })

  test('a mail that is slow holds up no other, but the next one to the same address', async () => {
    await empty()
    const outbox = createTestOutbox()
    const release = Promise.withResolvers<void>()
    const queue = queueOf({
      ...outbox,
      send: async (mail) => {
        if (mail.subject === 'slow') await release.promise
        await outbox.send(mail)
      },
    })
    const add = (to: string, subject: string) => app.db.$transaction((tx) => queue.add(tx, { ...letter(to), subject }))
    await add('slow@example.test', 'slow')
    await new Promise((resolve) => setTimeout(resolve, 2))
    await add('slow@example.test', 'second')
    await add('other@example.test', 'other')
    queue.wake()
    await expect.poll(() => outbox.mails.map(({ subject }) => subject)).toEqual(['other'])
    await add('late@example.test', 'late')
    queue.wake()
    await expect.poll(() => outbox.mails.map(({ subject }) => subject)).toEqual(['other', 'late'])
    release.resolve()
    await queue.drain()
    expect(outbox.mails.map(({ subject }) => subject)).toEqual(['other', 'late', 'slow', 'second'])
  })

  test('a mail whose row could not be removed is not sent again', async () => {
    await empty()
    const clock = holdClock()
    const outbox = createTestOutbox()
    const { db, secretBox, log } = app.service.deps
    let isBroken = true
    const flaky = new Proxy(db, {
      get: (target, name) =>
        name === 'queuedMail' && isBroken
          ? new Proxy(target.queuedMail, {
              get: (table, method) =>
                method === 'deleteMany' ? () => Promise.reject(new Error('no database')) : Reflect.get(table, method),
            })
          : Reflect.get(target, name),
    })
    const queue = createMailQueue({ db: flaky, transport: outbox, secretBox, log })
    await db.$transaction((tx) => queue.add(tx, letter('reader@example.test')))
    await queue.drain()
    expect([outbox.mails.length, (await waiting()).length]).toEqual([1, 1])
    isBroken = false
    clock.advance(121)
    await queue.drain()
    expect([outbox.mails.length, (await waiting()).length]).toEqual([1, 0])
  })

  test('T104: a clock that stepped back keeps no new mail waiting', async () => {
    await empty()
    const clock = holdClock()
    const outbox = createTestOutbox()
    const queue = queueOf(outbox)
    await app.db.$transaction((tx) => queue.add(tx, letter('reader@example.test')))
    clock.advance(-3600)
    await queue.drain()
    expect(outbox.mails).toHaveLength(1)
  })

  test('two workers on one database send each mail once', async () => {
    await empty()
    const outboxes = [createTestOutbox(), createTestOutbox()]
    const [left, right] = outboxes.map(queueOf) as [ReturnType<typeof queueOf>, ReturnType<typeof queueOf>]
    const addresses = Array.from({ length: 40 }, (_, count) => `reader-${count}@example.test`)
    await app.db.$transaction(async (tx) => {
      for (const address of addresses) await left.add(tx, letter(address))
    })
    await Promise.all([left.drain(), right.drain()])
    const sent = outboxes.flatMap(({ mails }) => mails.map(({ to }) => to))
    expect(sent.sort()).toEqual(addresses.sort())
    expect(await waiting()).toEqual([])
  })

  test('after an outage a mail that another worker has taken up meanwhile is sent once', async () => {
    await empty()
    const clock = holdClock()
    const away = createTestOutbox()
    away.failWith(new MailError('MAIL_SERVER_UNAVAILABLE', 'gone'))
    const left = queueOf(away)
    for (const to of ['first@example.test', 'held@example.test']) await app.db.$transaction((tx) => left.add(tx, letter(to)))
    await left.drain()
    // Both were put back by the left worker; the right one takes the first that is due and is still at it when the server is back.
    clock.advance(60)
    const sent: string[] = []
    const { promise: taken, resolve: take } = Promise.withResolvers<void>()
    const { promise: slow, resolve: finish } = Promise.withResolvers<void>()
    const right = queueOf({
      ...createTestOutbox(),
      send: async ({ to }) => {
        take()
        await slow
        sent.push(to)
      },
    })
    const draining = right.drain()
    await taken
    away.failWith(null)
    await app.db.$transaction((tx) => left.add(tx, letter('new@example.test')))
    await left.drain()
    await left.drain()
    finish()
    await draining
    const all = [...sent, ...away.mails.map(({ to }) => to)]
    expect(all.sort()).toEqual(['first@example.test', 'held@example.test', 'new@example.test'])
  })

  test('a worker that dies in mid-send is followed by another, under the same Message-ID', async () => {
    await empty()
    const clock = holdClock()
    let begun = () => {}
    const sending = new Promise<void>((resolve) => {
      begun = resolve
    })
    const ids: (string | undefined)[] = []
    const dead: MailTransport = {
      ...createTestOutbox(),
      send: (_, id) => {
        ids.push(id)
        begun()
        return new Promise(() => {})
      },
    }
    const first = queueOf(dead)
    await app.db.$transaction((tx) => first.add(tx, letter('reader@example.test')))
    first.wake()
    await sending
    const outbox = createTestOutbox()
    const second = queueOf({
      ...outbox,
      send: (mail, id) => {
        ids.push(id)
        return outbox.send(mail, id)
      },
    })
    await second.drain()
    clock.advance(119)
    await second.drain()
    expect(outbox.mails).toEqual([])
    clock.advance(1)
    await second.drain()
    expect(outbox.mails).toEqual([letter('reader@example.test')])
    expect(ids).toEqual([ids[0], ids[0]])
  })

  test('a mail of a change that was rolled back does not exist', async () => {
    await empty()
    const outbox = createTestOutbox()
    const queue = queueOf(outbox)
    const change = app.db.$transaction(async (tx) => {
      await queue.add(tx, letter('reader@example.test'))
      throw new Error('rolled back')
    })
    await expect(change).rejects.toThrow('rolled back')
    await queue.drain()
    expect([outbox.mails, await waiting()]).toEqual([[], []])
  })

  test('T177: a waiting mail is sealed: no address, no link, no name in its row', async () => {
    await empty()
    app.outbox.failWith(new Error('the server is away'))
    const somebody = await app.signUp()
    const row = JSON.stringify(await waiting())
    app.outbox.failWith(null)
    for (const secret of [somebody.email, somebody.name, 'verify-email', 'token', Buffer.from(somebody.email).toString('base64')])
      expect(row).not.toContain(secret)
    await app.db.queuedMail.updateMany({ data: { nextAttemptAt: new Date(0) } })
    await app.mailed()
    expect(row).not.toContain(app.outbox.lastTo(somebody.email).token)
  })

  test('T176: what the server says of a recipient is kept neither in the row nor in the log', async () => {
    await empty()
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo: ({ address }, _session, callback) =>
        callback(Object.assign(new Error(`no mailbox ${address} https://localhost/?token=abc`), { responseCode: 451 })),
    })
    server.on('error', () => {})
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const transport = createSmtpTransport({
      url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
      from: 'no-reply@example.test',
      appName: 'Floorpass',
    })
    onTestFinished(async () => {
      transport.close()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    })
    const queue = queueOf(transport)
    await app.db.$transaction((tx) => queue.add(tx, letter('secret-reader@example.test')))
    await queue.drain()
    const [mail] = await waiting()
    expect(mail?.lastError).toContain('451')
    expect(app.logs.some(({ mailId }) => mailId === mail?.id)).toBe(true)
    for (const secret of ['secret-reader', 'token=abc']) expect(JSON.stringify([mail, app.logs])).not.toContain(secret)
  })

  test('T181: a waiting mail outlives the rotation of AUTH_SECRET, not its removal', async () => {
    await empty()
    const [old, next] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
    const rotating = await createTestApp({ AUTH_SECRET: old })
    rotating.outbox.failWith(new Error('the server is away'))
    const { email } = await rotating.signUp()
    const [waitingMail] = await rotating.db.queuedMail.findMany()
    for (const [secrets, sent] of [
      [`${next},${old}`, 1],
      [next, 0],
    ] as const) {
      const later = await createTestApp({ AUTH_SECRET: secrets })
      if (waitingMail) await later.db.queuedMail.create({ data: { ...waitingMail, nextAttemptAt: new Date(0) } })
      await later.mailed()
      expect(later.outbox.to(email)).toHaveLength(sent)
    }
  })
})
