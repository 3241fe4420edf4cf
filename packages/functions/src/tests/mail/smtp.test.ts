import { type AddressInfo, createServer, type Server } from 'node:net'
import { createSmtpTransport, type MailTransport, renderMail } from '@floorpass/email'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, expect, it } from 'vitest'

type Received = { from: string; to: string[]; source: string }

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

function listen(server: SMTPServer | Server) {
  return new Promise<number>((resolve) => {
    const bare = 'server' in server ? server.server : server
    server.listen(0, '127.0.0.1', () => resolve((bare.address() as AddressInfo).port))
    cleanUps.push(() => new Promise((done) => server.close(() => done(null))))
  })
}

async function startMailServer(options: SMTPServerOptions = {}) {
  const received: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const from = session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address
        received.push({
          from,
          to: session.envelope.rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString(),
        })
        callback()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  return { port: await listen(server), received }
}

function transportTo(port: number, from = 'no-reply@example.test', start = 'smtp://'): MailTransport {
  const transport = createSmtpTransport({ url: `${start}127.0.0.1:${port}`, from, appName: 'Floorpass', timeoutMs: 400 })
  cleanUps.push(() => transport.close())
  return transport
}

const verification = renderMail('verify-email', {
  locale: 'fr',
  appName: 'Floorpass',
  baseUrl: 'http://localhost:3000',
  name: 'Zoë',
  url: 'http://localhost:3000/verify-email?token=abc',
  hours: 24,
})

it('delivers a mail with both parts', async () => {
  const { port, received } = await startMailServer()
  const transport = transportTo(port)
  await transport.verify()
  await transport.send({ to: 'zoe@example.test', ...verification })

  const [mail] = received
  expect(mail).toMatchObject({ from: 'no-reply@example.test', to: ['zoe@example.test'] })
  expect(mail?.source).toMatch(/^From: Floorpass <no-reply@example\.test>\r$/m)
  expect(mail?.source).toMatch(/^To: zoe@example\.test\r$/m)
  expect(mail?.source).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  expect(mail?.source).toMatch(/^Content-Type: text\/plain; charset=utf-8\r$/m)
  expect(mail?.source).toMatch(/^Content-Type: text\/html; charset=utf-8\r$/m)
})

it('keeps the Message-ID of a mail across retries', async () => {
  const { port, received } = await startMailServer()
  const transport = transportTo(port, 'Accounts <accounts@example.test>')
  for (let round = 0; round < 2; round += 1) await transport.send({ to: 'zoe@example.test', ...verification }, 'row-1')
  expect(received.map(({ source }) => /^Message-ID: (.*)\r$/m.exec(source)?.[1])).toEqual([
    '<row-1@example.test>',
    '<row-1@example.test>',
  ])
})

it('sends several mails over one connection', async () => {
  let connections = 0
  const { port, received } = await startMailServer({
    onConnect(_session, callback) {
      connections += 1
      callback()
    },
  })
  const transport = transportTo(port, 'Accounts <accounts@example.test>')
  for (const to of ['a@example.test', 'b@example.test', 'c@example.test']) await transport.send({ to, ...verification })
  expect(received.map((mail) => mail.to)).toEqual([['a@example.test'], ['b@example.test'], ['c@example.test']])
  expect(received[0]?.source).toMatch(/^From: Accounts <accounts@example\.test>\r$/m)
  expect(connections).toBe(1)
})

it('signs in with the user name and password of the URL', async () => {
  const logins: unknown[] = []
  const { port, received } = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      logins.push([username, password])
      callback(password === 'p@ss/w:rd' ? null : Object.assign(new Error('no'), { responseCode: 535 }), { user: username })
    },
  })
  await transportTo(port, 'no-reply@example.test', 'smtp://mailer:p%40ss%2Fw%3Ard@').send({
    to: 'zoe@example.test',
    ...verification,
  })
  expect(logins).toEqual([['mailer', 'p@ss/w:rd']])
  expect(received).toHaveLength(1)

  const failure = await transportTo(port, 'no-reply@example.test', 'smtp://mailer:wrong-one@')
    .verify()
    .catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'MAIL_SERVER_UNAVAILABLE' })
  expect(String((failure as Error).stack)).not.toContain('wrong-one')
})

it('never falls back to plain text for an smtps URL', async () => {
  const { port, received } = await startMailServer()
  const sending = transportTo(port, 'no-reply@example.test', 'smtps://').send({ to: 'zoe@example.test', ...verification })
  await expect(sending).rejects.toMatchObject({ code: 'MAIL_SERVER_UNAVAILABLE' })
  expect(received).toEqual([])
})

it.each([
  'zoe@example.test\r\nBcc: eve@example.test',
  'zoe@example.test,eve@example.test',
  '"eve@evil.test x"@example.test',
  'group:eve@evil.test;',
])('refuses the recipient %j before it reaches the server', async (to) => {
  const { port, received } = await startMailServer()
  await expect(transportTo(port).send({ ...verification, to })).rejects.toMatchObject({
    name: 'MailError',
    code: 'MAIL_ADDRESS_REFUSED',
  })
  expect(received).toEqual([])
})

it.each(['Hello\r\nBcc: eve@example.test', 'Hello\nX: y', 'Hello\u2028X: y', 'Hello\0'])(
  'refuses the subject %j',
  async (subject) => {
    const { port, received } = await startMailServer()
    const mail = { ...verification, to: 'zoe@example.test', subject }
    await expect(transportTo(port).send(mail)).rejects.toMatchObject({ name: 'MailError', code: 'MAIL_SUBJECT_REFUSED' })
    expect(received).toEqual([])
  },
)

it('reports a permanent refusal without naming the recipient', async () => {
  const { port } = await startMailServer({
    onRcptTo({ address }, _session, callback) {
      callback(Object.assign(new Error(`no mailbox ${address}`), { responseCode: 550 }))
    },
  })
  const failure = await transportTo(port)
    .send({ to: 'zoe@example.test', ...verification })
    .catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'MAIL_SERVER_REFUSED' })
  expect(String((failure as Error).stack)).not.toContain('zoe@')
})

it('keeps a mail for later when the server refuses our sender', async () => {
  const { port } = await startMailServer({
    onMailFrom(_address, _session, callback) {
      callback(Object.assign(new Error('sender not allowed'), { responseCode: 550 }))
    },
  })
  await expect(transportTo(port).send({ to: 'zoe@example.test', ...verification })).rejects.toMatchObject({
    code: 'MAIL_SERVER_UNAVAILABLE',
  })
})

it('reports that a busy server may be retried', async () => {
  const { port } = await startMailServer({
    onRcptTo(_address, _session, callback) {
      callback(Object.assign(new Error('try later'), { responseCode: 451 }))
    },
  })
  await expect(transportTo(port).send({ to: 'zoe@example.test', ...verification })).rejects.toMatchObject({
    code: 'MAIL_DEFERRED',
  })
})

it('gives up on a server that never sends a greeting', async () => {
  const sockets = new Set<{ destroy(): unknown }>()
  const port = await listen(createServer((socket) => sockets.add(socket)))
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy()
  })
  await expect(transportTo(port).send({ to: 'zoe@example.test', ...verification })).rejects.toMatchObject({
    code: 'MAIL_SERVER_UNAVAILABLE',
  })
})

it('fails at once when nothing listens', async () => {
  const server = createServer()
  const port = await listen(server)
  await new Promise((done) => server.close(done))
  cleanUps.length = 0
  await expect(transportTo(port).verify()).rejects.toMatchObject({ code: 'MAIL_SERVER_UNAVAILABLE' })
})
