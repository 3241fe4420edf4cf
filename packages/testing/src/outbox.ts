import type { Mail, MailTransport } from '@floorpass/email'

/** A mail with its first link and the token of that link. */
export type OpenedMail = Mail & { link: URL; token: string }

export type TestOutbox = MailTransport & {
  mails: Mail[]
  /** The mails to an address, oldest first. */
  to(address: string): OpenedMail[]
  /** The newest mail to an address. Throws when there is none. */
  lastTo(address: string): OpenedMail
  /** Fails every delivery with this error; null delivers again. */
  failWith(error: Error | null): void
}

/** A mail transport that keeps every mail in memory. */
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
