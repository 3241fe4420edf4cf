import { createTransport } from 'nodemailer'
import { MailError, type MailTransport, refuseInjection } from '../mail.ts'

type SmtpOptions = { url: string; from: string; appName: string; timeoutMs?: number }

/** Sends through an SMTP server. smtps:// is TLS from the first byte; smtp:// upgrades when the server offers it (`?requireTLS=true` insists). */
export function createSmtpTransport({ url, from, appName, timeoutMs = 10_000 }: SmtpOptions): MailTransport {
  const pool = createTransport({
    url,
    pool: true,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    // The caller has a queue; one retry covers a pooled connection that the server closed while it was idle.
    maxRequeues: 1,
  })
  const domain = from.slice(from.lastIndexOf('@') + 1).replace(/>.*/, '')
  const sender = from.includes('<') ? from : { name: appName, address: from }

  return {
    async send(mail, id) {
      refuseInjection(mail)
      await pool
        .sendMail({
          from: sender,
          to: { name: '', address: mail.to },
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          ...(id !== undefined && { messageId: `<${id}@${domain}>` }),
          // Asks vacation responders to stay silent (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
          disableFileAccess: true,
          disableUrlAccess: true,
        })
        .catch((error: unknown) => {
          throw explain(error)
        })
    },
    async verify() {
      await pool.verify().catch((error: unknown) => {
        throw explain(error)
      })
    },
    close: () => pool.close(),
  }
}

function explain(error: unknown) {
  const { code = 'unknown', command, responseCode = 0 } = error as { code?: string; command?: string; responseCode?: number }
  const answer = responseCode ? `${code}, answer ${responseCode}` : code
  // A 5xx to the login or to the sender is the operator's to repair, and the mail may still go afterwards.
  const aboutThisMail = (code === 'EENVELOPE' || code === 'EMESSAGE') && command !== 'MAIL FROM' && responseCode !== 421
  // The original is left out: its text quotes the server, which quotes the recipient.
  if (aboutThisMail && responseCode >= 500)
    return new MailError('MAIL_SERVER_REFUSED', `The mail server refused this mail for good (${answer}).`)
  return aboutThisMail && responseCode >= 400
    ? new MailError('MAIL_DEFERRED', `The mail server wants this mail later (${answer}).`)
    : new MailError(
        'MAIL_SERVER_UNAVAILABLE',
        `The mail server did not take the mail (${answer}). Check SMTP_URL and that the server is up.`,
      )
}
