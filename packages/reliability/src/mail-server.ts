import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import type { Mailbox } from './person.ts'
import { freePort } from './service-process.ts'

export type ReceivedMail = { to: string; subject: string; messageId: string; text: string; at: number }

/** A mail server that can be stopped. It permanently refuses `bad@…` and delays `slow@…` by three seconds. */
export type MailServer = Mailbox & {
  url: string
  received: ReceivedMail[]
  start(): Promise<void>
  stop(): Promise<void>
}

export async function createMailServer(): Promise<MailServer> {
  const port = await freePort()
  const received: ReceivedMail[] = []
  let server: SMTPServer | undefined

  const create = () =>
    new SMTPServer({
      authOptional: true,
      disableReverseLookup: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo({ address }, _session, callback) {
        callback(address.startsWith('bad@') ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : null)
      },
      async onData(stream, session, callback) {
        const chunks: Buffer[] = []
        for await (const chunk of stream) chunks.push(chunk as Buffer)
        const to = session.envelope.rcptTo[0]?.address ?? ''
        if (to.startsWith('slow@')) await delay(3_000)
        const source = Buffer.concat(chunks).toString()
        received.push({
          to,
          subject: /^Subject: (.*)\r$/m.exec(source)?.[1] ?? '',
          messageId: /^Message-ID: (.*)\r$/im.exec(source)?.[1] ?? '',
          text: decodeQuotedPrintable(source),
          at: Date.now(),
        })
        callback()
      },
    })

  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    async start() {
      server = create()
      server.on('error', () => {})
      server.listen(port, '127.0.0.1')
      await once(server.server, 'listening')
    },
    async stop() {
      const closing = server
      server = undefined
      await new Promise<void>((resolve) => (closing ? closing.close(resolve) : resolve()))
    },
    tokens: async (address, page) =>
      received
        .filter(({ to }) => to === address)
        .flatMap(({ text }) => new RegExp(`/${page}\\?token=([\\w-]+)`).exec(text)?.[1] ?? []),
  }
}

/** Decodes quoted-printable ASCII (RFC 2045, 6.7). */
const decodeQuotedPrintable = (source: string): string =>
  source.replaceAll('=\r\n', '').replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
