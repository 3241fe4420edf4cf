import type { Mail, MailTransport } from '@floorpass/email'

/** A mail, its first link and that link's token. */
export type OpenedMail = Mail & { link: URL; token: string }

export type TestOutbox = MailTransport & {
  mails: Mail[]
  /** Mails to an address, oldest first. */
  to(address: string): OpenedMail[]
  /** The newest mail to an address. Throws when there is none. */
  lastTo(address: string): OpenedMail
  /** From now on every mail is refused, until called with null. */
  failWith(error: Error | null): void
}

/** A mail server that keeps everything. */
export function createTestOutbox(): TestOutbox {
  const mails: Mail[] = []
  let failure: Error | null = null
  const to = (address: string) => mails.filter((mail) => mail.to === address).map(open)
  return {
    mails,
    to,
    lastTo(address) {
      const mail = to(address).at(-1)
      if (!mail) throw new Error(`no mail to ${address}`)
      return mail
    },
    failWith: (error) => {
      failure = error
    },
    async send(mail) {
      if (failure) throw failure
      mails.push(mail)
    },
    verify: async () => {},
    close: () => {},
  }
}

function open(mail: Mail): OpenedMail {
  const link = new URL(mail.text.match(/https?:\/\/\S+/)?.[0] ?? 'http://no.link')
  return { ...mail, link, token: link.searchParams.get('token') ?? '' }
}
