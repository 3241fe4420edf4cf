import type { Database } from '@floorpass/db'
import type { MailTransport } from '@floorpass/email'
import { CheckFailure } from './attempt.ts'
import type { Check } from './check.ts'

export const checkMail = (db: Database, transport: Pick<MailTransport, 'verify'>, longestWait: number): Check[] => [
  {
    title: 'the mail server accepts our login',
    async run() {
      await transport.verify()
      return undefined
    },
  },
  {
    title: `no email has waited for more than ${longestWait / 60} minutes`,
    async run() {
      const tooLong = new Date(Date.now() - longestWait * 1000)
      const [row] = await db.$queryRaw<{ waiting: bigint }[]>`
        SELECT count(*) AS waiting FROM queued_mails WHERE next_attempt_at IS NOT NULL AND coalesce(tried_since, created_at) < ${tooLong}`
      const waiting = Number(row?.waiting)
      if (waiting > 0) throw new CheckFailure(`Emails that waited longer: ${waiting}`)
      return { waiting }
    },
  },
]
