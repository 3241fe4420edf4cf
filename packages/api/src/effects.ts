import type { MailName } from '@floorpass/email'
import { type AuditAction, type Records, recordAuditEvents } from './audit-log/audit-log.ts'
import type { Context } from './context.ts'
import type { CookieName, SetsCookies } from './cookies/flow-cookie.ts'
import type { Mails } from './mail/notifications.ts'

/** What a mutation writes beside its rows. Helpers name the effects that they need; the compiler checks them against the declaration. */
export type Effects<Action extends AuditAction, Mail extends MailName, Cookie extends CookieName> = Records<Action> &
  Mails<Mail> &
  SetsCookies<Cookie>

/** Unrestricted. `mutation` narrows it to the declared effects. */
export function withEffects(ctx: Context): Context & Effects<AuditAction, MailName, CookieName> & { wakeMail(): void } {
  let hasQueuedMail = false
  return {
    ...ctx,
    record: (tx, ...entries) => recordAuditEvents(tx, ctx.client, entries),
    queueMail: (tx, _name, mail, expiresAt) => {
      hasQueuedMail = true
      return ctx.mail.add(tx, mail, expiresAt)
    },
    setCookie: (_name, header) => ctx.cookies.set(header),
    wakeMail: () => {
      // After the response, whose time must not reveal a mail.
      if (hasQueuedMail) setImmediate(() => ctx.mail.wake())
    },
  }
}
