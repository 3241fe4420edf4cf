import type { QueuedMail } from '@floorpass/db'
import type { MailError } from '@floorpass/email'
import { policy } from '../kernel/policy.ts'

/** When to try a failed mail again. Null when the server refused it for good, or deferred it for too long. */
export function nextAttempt(
  { attempts, createdAt, triedSince }: QueuedMail,
  code: MailError['code'],
  hasDelivered: boolean,
): Date | null {
  const now = Date.now()
  const isTransient = code === 'MAIL_SERVER_UNAVAILABLE' || code === 'MAIL_DEFERRED'
  // Before the first delivery, a server outage looks like a failure of the mail.
  const mayBlameMail = code === 'MAIL_DEFERRED' || hasDelivered
  const isOverdue = (triedSince ?? createdAt).getTime() + policy.mail.longestTry * 1000 < now
  if (!isTransient || (isOverdue && mayBlameMail)) return null
  const wait = Math.min(policy.mail.firstRetry * 4 ** (attempts - 1), policy.mail.longestRetry)
  return new Date(now + wait * 1000)
}
