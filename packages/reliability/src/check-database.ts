import { join } from 'node:path'
import { type Database, openDatabase } from '@floorpass/db'
import type { Traffic } from './traffic.ts'

/** Opens the database of a service. Stop the service first when the database is embedded. */
export async function withDatabase<Result>(
  environment: { DATABASE_URL?: string; DATA_DIR: string },
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const { db, close } = await openDatabase(
    environment.DATABASE_URL
      ? { kind: 'postgres', url: environment.DATABASE_URL }
      : { kind: 'embedded', directory: join(environment.DATA_DIR, 'database') },
  )
  try {
    return await work(db)
  } finally {
    await close()
  }
}

/** Lists acknowledged writes that are not in the database. */
export async function findLostWrites(db: Database, { signedUp, names }: Traffic): Promise<string[]> {
  const lost: string[] = []
  const stored = new Set((await db.user.findMany({ select: { email: true } })).map(({ email }) => email))
  lost.push(...signedUp.filter((email) => !stored.has(email)).map((email) => `sign-up of ${email}`))
  for (const { email, acknowledged, requested } of names) {
    const { name } = await db.user.findUniqueOrThrow({ where: { email } })
    const number = Number(name.split(' ')[1])
    if (number < acknowledged || number > requested) lost.push(`name of ${email}: ${number}, acknowledged ${acknowledged}`)
  }
  return lost
}

/** Lists rows that an incomplete transaction left, for example a user without an account or audit event. */
export async function findPartialWrites(db: Database): Promise<string[]> {
  const found = await db.$queryRaw<{ what: string }[]>`
    SELECT 'user without an account: ' || u.email AS what FROM users u WHERE NOT EXISTS (SELECT FROM accounts a WHERE a.user_id = u.id)
    UNION ALL
    SELECT 'user without an audit event: ' || u.email FROM users u
      WHERE NOT EXISTS (SELECT FROM audit_events e WHERE e.user_id = u.id AND e.action = 'sign-up')
    UNION ALL
    SELECT 'unverified user without a link: ' || u.email FROM users u
      WHERE NOT u.email_verified AND NOT EXISTS (SELECT FROM verifications v WHERE v.user_id = u.id AND v.purpose = 'verify-email')
    UNION ALL
    SELECT 'organization without an owner: ' || o.slug FROM organizations o
      WHERE NOT EXISTS (SELECT FROM members m WHERE m.organization_id = o.id AND m.role = 'owner')
    UNION ALL
    SELECT 'organization without an audit event: ' || o.slug FROM organizations o
      WHERE NOT EXISTS (SELECT FROM audit_events e WHERE e.organization_id = o.id AND e.action = 'create-organization')
    UNION ALL
    SELECT 'password reset that left a session: ' || u.email FROM users u
      WHERE EXISTS (SELECT FROM verifications v WHERE v.user_id = u.id AND v.purpose = 'reset-password' AND v.used_at IS NOT NULL)
      AND EXISTS (SELECT FROM sessions s, verifications v WHERE s.user_id = u.id AND v.user_id = u.id
        AND v.purpose = 'reset-password' AND v.used_at > s.created_at + interval '1 second')`
  return found.map(({ what }) => what)
}
