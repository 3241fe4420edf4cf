/** A mail that is ready to go. */
export type Mail = { to: string; subject: string; text: string; html: string }

/**
 * A way out for mails. `id` names a mail, the same at every try: so that a receiver can detect duplicates. `verify` fails when mails could not
 * leave.
 */
export type MailTransport = { send(mail: Mail, id?: string): Promise<void>; verify(): Promise<void>; close(): void }

/** Why a mail did not leave. MAIL_DEFERRED (this mail, not now) and MAIL_SERVER_UNAVAILABLE (no mail, now) are worth another try. */
export type MailErrorCode =
  | 'MAIL_ADDRESS_REFUSED'
  | 'MAIL_SUBJECT_REFUSED'
  | 'MAIL_LINK_REFUSED'
  | 'MAIL_SERVER_REFUSED'
  | 'MAIL_DEFERRED'
  | 'MAIL_SERVER_UNAVAILABLE'

/** A mail that did not leave. The message never holds an address, a link or a password. */
export class MailError extends Error {
  readonly code: MailErrorCode

  constructor(code: MailErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'MailError'
    this.code = code
  }
}

const ONE_ADDRESS = /^[^\s\p{C}"(),:;<>@[\\\]]{1,64}@[^\s\p{C}"(),:;<>@[\\\]]{1,255}$/u
const LINE_BREAK_OR_CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u

// Quoted local parts, lists and groups are legal in a header, and a way to reach a second recipient: exactly one plain address passes.
export function refuseInjection({ to, subject }: Mail) {
  if (!ONE_ADDRESS.test(to)) throw new MailError('MAIL_ADDRESS_REFUSED', 'The recipient is not one plain e-mail address.')
  if (LINE_BREAK_OR_CONTROL.test(subject))
    throw new MailError('MAIL_SUBJECT_REFUSED', 'The subject holds a line break or a control character.')
}
