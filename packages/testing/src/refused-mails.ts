import { randomUUIDv7 } from 'node:crypto'
import type { TestApp } from './create-test-app.ts'

/** Queues a mail that its server refused. Returns its id. */
export async function refuseMail(
  { db, service }: Pick<TestApp, 'db' | 'service'>,
  to: string,
  expiresAt: Date | null = null,
): Promise<string> {
  const id = randomUUIDv7()
  const mail = { to, subject: 'Welcome', text: 'a text', html: '' }
  const mailSealed = service.deps.secretBox.seal(JSON.stringify(mail), ['queued_mails.mail_sealed', id])
  const lastError = '550 no such mailbox'
  await db.queuedMail.create({ data: { id, mailSealed, attempts: 1, nextAttemptAt: null, lastError, expiresAt } })
  return id
}
