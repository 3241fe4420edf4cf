import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises'
import { createMailQueue } from '@floorpass/api'
import { createSmtpTransport, type Mail, MailError, type MailTransport } from '@floorpass/email'
import { holdClock } from '@floorpass/testing/clock'
import { createTestApp } from '@floorpass/testing/create-test-app'
import { eventually } from '@floorpass/testing/eventually'
import { createTestOutbox } from '@floorpass/testing/outbox'
import { SMTPServer } from 'smtp-server'
import { describe, expect, onTestFinished, test } from 'vitest'

const app = await createTestApp()

const mailTo = (to: string): Mail => ({ to, subject: 'A mailTo', text: 'Text', html: '<p>Text</p>' })
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
/** The service's own queue wakes after the last response of the test before. */
const empty = async () => {
  await immediate()
  await app.drainMail()
  await app.db.queuedMail.deleteMany()
}

/** Ids carry the machine's clock, in milliseconds: two of one millisecond have no order. */
const nextMillisecond = async () => {
  for (const start = performance.now(); performance.now() - start < 2; ) await immediate()
}

describe('the mail queue', () => {
  test('a drain waits for the mail that a wake claimed meanwhile', async () => {
    await empty()
    const { db, secretBox, log } = app.service.deps
    const outbox = createTestOutbox()
    const slow = db.$extends({
      query: {
        queuedMail: {
          async updateManyAndReturn({ args, query }) {
            const claimed = await query(args)
            if (claimed.length > 0) await delay(50)
            return claimed
          },
        },
      },
    }) as unknown as typeof db
    const queue = createMailQueue({ db: slow, transport: outbox, secretBox, log })
    await db.$transaction((tx) => queue.add(tx, mailTo('ada@example.test')))
    const drained = queue.drain()
    queue.wake()
    await drained
    expect(outbox.to('ada@example.test')).toHaveLength(1)
  })

  test('a sign-up succeeds while the mail server is down, and its mail leaves after the server recovers', async () => {
    await empty()
    const clock = holdClock()
    app.outbox.failWith(new Error('the server is away'))
    const user = await app.signUp()
    expect(app.outbox.to(user.email)).toEqual([])
    const [first] = await waiting()
    expect(first).toMatchObject({ attempts: 1, lastError: 'the server is away', nextAttemptAt: new Date(Date.now() + 10_000) })

    app.outbox.failWith(null)
    clock.advance(9)
    await app.drainMail()
    expect(app.outbox.to(user.email)).toEqual([])
    clock.advance(1)
    await app.drainMail()
    expect(app.outbox.to(user.email)).toHaveLength(1)
    expect(await waiting()).toEqual([])
  })

  test('retry delays grow fourfold from ten seconds to an hour', async () => {
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
      await app.drainMail()
    }
    app.outbox.failWith(null)
    expect(waits).toEqual([10, 40, 160, 640, 2560, 3600, 3600, 3600])
  })

  test('a permanently refused mail is not retried, and stays for the operator with a log line', async () => {
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
      await app.db.$transaction((tx) => queue.add(tx, mailTo('reader@example.test')))
      await queue.drain()
      clock.advance(24 * 3600)
      await queue.drain()
      const [mail] = await waiting()
      expect(mail).toMatchObject({ attempts: 1, nextAttemptAt: null, lastError: `refused: ${code}` })
      expect(tries).toHaveLength(1)
      expect(app.logs.filter(({ mailId }) => mailId === mail?.id)).toMatchObject([{ level: 50, reason: `refused: ${code}` }])
    }
  })

  test('retries a mail that the server refused temporarily', async () => {
    await empty()
    const clock = holdClock()
    const outbox = createTestOutbox()
    outbox.failWith(new MailError('MAIL_SERVER_UNAVAILABLE', 'come back later'))
    const queue = queueOf(outbox)
    await app.db.$transaction((tx) => queue.add(tx, mailTo('reader@example.test')))
    await queue.drain()
    outbox.failWith(null)
    clock.advance(10)
    await queue.drain()
    expect(outbox.mails).toHaveLength(1)
  })

  test('one refused mail does not delay the others', async () => {
    await empty()
    const outbox = createTestOutbox()
    const picky: MailTransport = {
      ...outbox,
      send: (mail) => (mail.to === 'bad@example.test' ? Promise.reject(new Error('no')) : outbox.send(mail)),
    }
    const queue = queueOf(picky)
    for (const to of ['first@example.test', 'bad@example.test', 'last@example.test'])
      await app.db.$transaction((tx) => queue.add(tx, mailTo(to)))
    await queue.drain()
    expect(outbox.mails.map(({ to }) => to).sort()).toEqual(['first@example.test', 'last@example.test'])
    expect(await waiting()).toMatchObject([{ attempts: 1 }])
  })

  test('gives up a mail that the server deferred for three days, and keeps it for the operator', async () => {
    await empty()
    const clock = holdClock()
    const outbox = createTestOutbox()
    outbox.failWith(new MailError('MAIL_DEFERRED', 'not now'))
    const queue = queueOf(outbox)
    await app.db.$transaction((tx) => queue.add(tx, mailTo('reader@example.test')))
    await queue.drain()
    clock.advance(3 * 24 * 3600)
    await queue.drain()
    expect(await waiting()).toMatchObject([{ attempts: 2, nextAttemptAt: new Date(Date.now() + 40_000) }])
    clock.advance(3600)
    await queue.drain()
    expect(await waiting()).toMatchObject([{ attempts: 3, nextAttemptAt: null, lastError: 'not now' }])
  })

  test('drops a mail whose link has expired', async () => {
    await empty()
    const clock = holdClock()
    const user = await app.verified()
    app.outbox.failWith(new MailError('MAIL_SERVER_UNAVAILABLE', 'away'))
    await app.browser().post('/auth/forget-password', { email: user.email })
    await app.drainMail()
    expect(await waiting()).toHaveLength(1)
    clock.advance(3600)
    app.outbox.failWith(null)
    await app.drainMail()
    expect(await waiting()).toEqual([])
    expect(app.outbox.to(user.email).filter(({ link }) => link.pathname === '/reset-password')).toEqual([])
    expect(app.logs.some(({ msg }) => String(msg).includes('link expired'))).toBe(true)
  })

  test('tries an unavailable server once a minute, however many mails wait, and then sends all in order', async () => {
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
      await app.db.$transaction((tx) => queue.add(tx, mailTo(address)))
      clock.advance(0.001)
      await nextMillisecond()
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
    // Only the mails tried last and during recovery may swap places.
    expect(order.filter((to, place) => to !== addresses[place]).length).toBeLessThanOrEqual(3)
  })

  test('a mail on which the server disconnects does not delay the others', async () => {
    await empty()
    const clock = holdClock()
    const outbox = createTestOutbox()
    const queue = queueOf(hangingUpOn('poison@example.test', outbox))
    for (const to of ['poison@example.test', 'first@example.test', 'last@example.test'])
      await app.db.$transaction((tx) => queue.add(tx, mailTo(to)))
    await queue.drain()
    clock.advance(10)
    await queue.drain()
    await app.db.$transaction((tx) => queue.add(tx, mailTo('later@example.test')))
    await queue.drain()
    expect(outbox.mails.map(({ to }) => to).sort()).toEqual(['first@example.test', 'last@example.test', 'later@example.test'])
  })

  test('a new process still sends a mail that waited ten days for the mail server', async () => {
    await empty()
    const clock = holdClock()
    const outbox = createTestOutbox()
    outbox.failWith(new MailError('MAIL_SERVER_UNAVAILABLE', 'away'))
    await app.db.$transaction((tx) => queueOf(outbox).add(tx, mailTo('reader@example.test')))
    for (let day = 0; day < 10; day += 1) {
      await queueOf(outbox).drain()
      clock.advance(24 * 3600)
    }
    expect(await waiting()).toMatchObject([{ attempts: 10, nextAttemptAt: expect.any(Date) }])
    outbox.failWith(null)
    await queueOf(outbox).drain()
    expect(outbox.mails).toHaveLength(1)
  })

  test('gives up a mail on which the server disconnected for three days while it accepted others', async () => {
    await empty()
    const clock = holdClock()
    const outbox = createTestOutbox()
    const queue = queueOf(hangingUpOn('poison@example.test', outbox))
    await app.db.$transaction((tx) => queue.add(tx, mailTo('poison@example.test')))
    for (let hour = 0; hour <= 73; hour += 1) {
      await app.db.$transaction((tx) => queue.add(tx, mailTo('reader@example.test')))
      await queue.drain()
      // While the server is suspected, the other mail is its next probe.
      clock.advance(90)
      await queue.drain()
      const [poison] = await waiting()
      expect([hour, poison?.nextAttemptAt === null]).toEqual([hour, hour > 72])
      clock.advance(3510)
    }
  })

  test('a slow mail delays only the next one to the same address', async () => {
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
    const add = (to: string, subject: string) => app.db.$transaction((tx) => queue.add(tx, { ...mailTo(to), subject }))
    await add('slow@example.test', 'slow')
    await nextMillisecond()
    await add('slow@example.test', 'second')
    await add('other@example.test', 'other')
    queue.wake()
    await eventually(() => expect(outbox.mails.map(({ subject }) => subject)).toEqual(['other']))
    await add('late@example.test', 'late')
    queue.wake()
    await eventually(() => expect(outbox.mails.map(({ subject }) => subject)).toEqual(['other', 'late']))
    release.resolve()
    await queue.drain()
    expect(outbox.mails.map(({ subject }) => subject)).toEqual(['other', 'late', 'slow', 'second'])
  })

  test('a queue that stops leaves the next mail to the same address to another process', async () => {
    await empty()
    const outbox = createTestOutbox()
    const release = Promise.withResolvers<void>()
    const queue = queueOf({ ...outbox, send: (mail) => release.promise.then(() => outbox.send(mail)) })
    for (const subject of ['first', 'second']) {
      await app.db.$transaction((tx) => queue.add(tx, { ...mailTo('reader@example.test'), subject }))
      await nextMillisecond()
    }
    queue.wake()
    await eventually(async () => expect((await waiting()).map(({ attempts }) => attempts)).toEqual([1, 1]))
    const stopped = queue.stop()
    release.resolve()
    await stopped
    expect(outbox.mails.map(({ subject }) => subject)).toEqual(['first'])
    await queueOf(outbox).drain()
    expect(outbox.mails.map(({ subject }) => subject)).toEqual(['first', 'second'])
  })

  test('a mail is sent once when the server takes longer than its lease', async () => {
    await empty()
    const clock = holdClock()
    const outbox = createTestOutbox()
    const accepted = Promise.withResolvers<void>()
    const queue = queueOf({ ...outbox, send: (mail) => accepted.promise.then(() => outbox.send(mail)) })
    await app.db.$transaction((tx) => queue.add(tx, mailTo('reader@example.test')))
    const claim = (attempts: number) => {
      queue.wake()
      return eventually(async () => expect((await waiting()).map((mail) => mail.attempts)).toEqual([attempts]))
    }
    await claim(1)
    clock.advance(121)
    await claim(2)
    accepted.resolve()
    await queue.drain()
    expect([outbox.mails.length, (await waiting()).length]).toEqual([1, 0])
  })

  test('never resends a mail whose row could not be deleted', async () => {
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
    await db.$transaction((tx) => queue.add(tx, mailTo('reader@example.test')))
    await queue.drain()
    expect([outbox.mails.length, (await waiting()).length]).toEqual([1, 1])
    isBroken = false
    clock.advance(121)
    await queue.drain()
    expect([outbox.mails.length, (await waiting()).length]).toEqual([1, 0])
  })

  test('T104: sends new mails after the clock steps back', async () => {
    await empty()
    const clock = holdClock()
    const outbox = createTestOutbox()
    const queue = queueOf(outbox)
    await app.db.$transaction((tx) => queue.add(tx, mailTo('reader@example.test')))
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
      for (const address of addresses) await left.add(tx, mailTo(address))
    })
    await Promise.all([left.drain(), right.drain()])
    const sent = outboxes.flatMap(({ mails }) => mails.map(({ to }) => to))
    expect(sent.sort()).toEqual(addresses.sort())
    expect(await waiting()).toEqual([])
  })

  test('after an outage, sends a mail once even if another worker took it over meanwhile', async () => {
    await empty()
    const clock = holdClock()
    const away = createTestOutbox()
    away.failWith(new MailError('MAIL_SERVER_UNAVAILABLE', 'gone'))
    const left = queueOf(away)
    for (const to of ['first@example.test', 'held@example.test']) await app.db.$transaction((tx) => left.add(tx, mailTo(to)))
    await left.drain()
    // The left worker rescheduled both. The right one takes the first and is still sending when the server recovers.
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
    await app.db.$transaction((tx) => left.add(tx, mailTo('new@example.test')))
    await left.drain()
    await left.drain()
    finish()
    await draining
    const all = [...sent, ...away.mails.map(({ to }) => to)]
    expect(all.sort()).toEqual(['first@example.test', 'held@example.test', 'new@example.test'])
  })

  test('a worker whose lease expired does not release a mail that another worker sends', async () => {
    await empty()
    const clock = holdClock()
    const sends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const queues = sends.map(({ promise }) => queueOf({ ...createTestOutbox(), send: () => promise }))
    for (let count = 0; count < 2; count += 1)
      await app.db.$transaction((tx) => queueOf(createTestOutbox()).add(tx, mailTo('reader@example.test')))
    const draining: Promise<void>[] = []
    for (const [index, queue] of queues.entries()) {
      clock.advance(121 * index)
      draining.push(queue.drain())
      // The second mail waits for the first, which has the same address.
      await eventually(async () => expect((await waiting()).map(({ attempts }) => attempts)).toEqual([index + 1, index + 1]))
    }
    const [, second] = await waiting()
    sends[0]?.resolve()
    await draining[0]
    expect(await waiting()).toEqual([second])
    sends[1]?.resolve()
    await draining[1]
  })

  test('another worker resends the mail of a crashed one, with the same Message-ID', async () => {
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
    await app.db.$transaction((tx) => first.add(tx, mailTo('reader@example.test')))
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
    expect(outbox.mails).toEqual([mailTo('reader@example.test')])
    expect(ids).toEqual([ids[0], ids[0]])
  })

  test('sends no mail for a change that was rolled back', async () => {
    await empty()
    const outbox = createTestOutbox()
    const queue = queueOf(outbox)
    const change = app.db.$transaction(async (tx) => {
      await queue.add(tx, mailTo('reader@example.test'))
      throw new Error('rolled back')
    })
    await expect(change).rejects.toThrow('rolled back')
    await queue.drain()
    expect([outbox.mails, await waiting()]).toEqual([[], []])
  })

  test('T177: a queued mail is sealed: its row contains no email, link or name', async () => {
    await empty()
    app.outbox.failWith(new Error('the server is away'))
    const user = await app.signUp()
    const row = JSON.stringify(await waiting())
    app.outbox.failWith(null)
    for (const secret of [user.email, user.name, 'verify-email', 'token', Buffer.from(user.email).toString('base64')])
      expect(row).not.toContain(secret)
    await app.db.queuedMail.updateMany({ data: { nextAttemptAt: new Date(0) } })
    await app.drainMail()
    expect(row).not.toContain(app.outbox.lastTo(user.email).token)
  })

  test('T176: neither the row nor the log contains what the server says about a recipient', async () => {
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
    await app.db.$transaction((tx) => queue.add(tx, mailTo('secret-reader@example.test')))
    await queue.drain()
    const [mail] = await waiting()
    expect(mail?.lastError).toContain('451')
    expect(app.logs.some(({ mailId }) => mailId === mail?.id)).toBe(true)
    for (const secret of ['secret-reader', 'token=abc']) expect(JSON.stringify([mail, app.logs])).not.toContain(secret)
  })

  test('T181: a queued mail survives the rotation of AUTH_SECRET, but not the removal of the old secret', async () => {
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
      await later.drainMail()
      expect(later.outbox.to(email)).toHaveLength(sent)
    }
  })
})
