import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createMailQueue } from '@floorpass/api'
import { createSmtpTransport, type Mail, MailError, type MailTransport } from '@floorpass/email'
import { SMTPServer } from 'smtp-server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { holdClock } from '../../test-support/clock.ts'
import { createTestApp } from '../../test-support/create-test-app.ts'
import { createTestOutbox } from '../../test-support/outbox.ts'

const app = await createTestApp()

const letter = (to: string): Mail => ({ to, subject: 'A letter', text: 'Text', html: '<p>Text</p>' })
const queueOf = (transport: MailTransport) => {
  const { db, secretBox, log } = app.service.deps
  return createMailQueue({ db, transport, secretBox, log })
}
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

  test('waits grow fourfold from ten seconds to an hour, and no mail is given up', async () => {
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

  test('a worker that dies in mid-send is followed by another', async () => {
    await empty()
    const clock = holdClock()
    let begun = () => {}
    const sending = new Promise<void>((resolve) => {
      begun = resolve
    })
    const dead: MailTransport = {
      ...createTestOutbox(),
      send: () => {
        begun()
        return new Promise(() => {})
      },
    }
    const first = queueOf(dead)
    await app.db.$transaction((tx) => first.add(tx, letter('reader@example.test')))
    first.wake()
    await sending
    const outbox = createTestOutbox()
    const second = queueOf(outbox)
    await second.drain()
    clock.advance(119)
    await second.drain()
    expect(outbox.mails).toEqual([])
    clock.advance(1)
    await second.drain()
    expect(outbox.mails).toEqual([letter('reader@example.test')])
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
