import { createHash, createHmac } from 'node:crypto'
import { createKeySecret, createPasswordHasher } from '@floorpass/api'
import { openDatabase } from '@floorpass/db'
import { hashPassword } from 'better-auth/crypto'
import pg from 'pg'

export const userCount = 100_000
export const sessionsPerUser = 3
export const activeUsers = 10_000
export const password = 'plum kettle orbit seven'
export const secret = createHash('sha256').update('floorpass bench').digest('base64')

export type Databases = { floorpass: string; betterAuth: string; drop(): Promise<void> }

export const userId = (index: number): string => `user-${index}`
export const emailAt = (index: number): string => `user-${index}@example.com`
/** The token of a session in both databases. `sessionTokenSql` must compute the same. */
export const sessionToken = (index: number): string => createHash('sha256').update(`bench session ${index}`).digest('base64url')

export const floorpassCookie = (index: number): string => `local-floorpass_session=${sessionToken(index)}`
export const betterAuthCookie = (index: number): string => {
  const token = sessionToken(index)
  const signature = createHmac('sha256', secret).update(token).digest('base64')
  return `better-auth.session_token=${encodeURIComponent(`${token}.${signature}`)}`
}

/** The secrets of the first API keys. The others are never presented. */
export const keySecrets = Array.from({ length: activeUsers }, () => createKeySecret('user'))

const base64url = (sql: string) => `translate(rtrim(encode(sha256(convert_to(${sql}, 'UTF8')), 'base64'), '='), '+/', '-_')`
const sessionTokenSql = base64url(`'bench session ' || i`)

/** Creates both databases on the server of `adminUrl`, with the same users, passwords, organizations and sessions. */
export async function loadData(adminUrl: string, migrateBetterAuth: (url: string) => Promise<void>): Promise<Databases> {
  const suffix = `${Date.now()}`
  const names = { floorpass: `floorpass_bench_${suffix}_a`, betterAuth: `floorpass_bench_${suffix}_b` }
  const urls = { floorpass: databaseUrl(adminUrl, names.floorpass), betterAuth: databaseUrl(adminUrl, names.betterAuth) }
  await query(adminUrl, `CREATE DATABASE ${names.floorpass}`)
  await query(adminUrl, `CREATE DATABASE ${names.betterAuth}`)
  const drop = async () => {
    for (const name of Object.values(names)) await query(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
  try {
    const database = await openDatabase({ kind: 'postgres', url: urls.floorpass, poolSize: 1 })
    await database.migrate().finally(database.close)
    await migrateBetterAuth(urls.betterAuth)
    await Promise.all([loadFloorpass(urls.floorpass), loadBetterAuth(urls.betterAuth)])
  } catch (error) {
    await drop()
    throw error
  }
  return { ...urls, drop }
}

/** Inserts the sessions from `first` up to `end`, three per user. After the last user it continues with the first. */
export const floorpassSessionsSql = (first: number, end: number): string => `
  INSERT INTO sessions (id, handle, user_id, ip_address, user_agent, expires_at)
  SELECT ${base64url(sessionTokenSql)}, 'session-' || i, 'user-' || (i / ${sessionsPerUser}) % ${userCount}, '127.0.0.1', 'bench',
         now() + interval '7 days'
  FROM generate_series(${first}, ${end - 1}) AS i`

/** Inserts the API keys from `first` up to `end`, one per user. After the last user it continues with the first. */
export const apiKeysSql = (first: number, end: number): string => {
  const hashes = keySecrets.map((secret) => `'${createHash('sha256').update(secret).digest('base64url')}'`)
  return `
  INSERT INTO api_keys (id, user_id, name, start, secret_hash, scopes, updated_at)
  SELECT 'key-' || i, 'user-' || i % ${userCount}, 'Bot', 'fp_user_', coalesce(hash, ${base64url(`'bench key ' || i`)}),
         ARRAY['account:read', 'order:read'], now()
  FROM generate_series(${first}, ${end - 1}) AS i
  LEFT JOIN unnest(ARRAY[${hashes.join(',')}]) WITH ORDINALITY AS known (hash, place) ON place = i + 1`
}

async function loadFloorpass(url: string): Promise<void> {
  const hash = await createPasswordHasher().hash(password)
  await query(
    url,
    `INSERT INTO users (id, name, email, email_verified, updated_at)
     SELECT 'user-' || i, 'User ' || i, 'user-' || i || '@example.com', true, now() FROM generate_series(0, ${userCount - 1}) AS i;
     INSERT INTO accounts (id, user_id, provider_id, account_id, password_hash, updated_at)
     SELECT 'account-' || i, 'user-' || i, 'credential', 'user-' || i, '${hash}', now() FROM generate_series(0, ${userCount - 1}) AS i;
     INSERT INTO organizations (id, name, slug, updated_at)
     SELECT 'desk-' || i, 'Desk ' || i, 'desk-' || i, now() FROM generate_series(0, ${2 * activeUsers - 1}) AS i;
     INSERT INTO members (id, organization_id, user_id, role, slot)
     SELECT 'member-' || i, 'desk-' || i, 'user-' || i / 2, 'owner', i % 2 + 1 FROM generate_series(0, ${2 * activeUsers - 1}) AS i;
     ${floorpassSessionsSql(0, userCount * sessionsPerUser)};
     ${apiKeysSql(0, keySecrets.length)};`,
  )
  await query(url, 'VACUUM ANALYZE')
}

async function loadBetterAuth(url: string): Promise<void> {
  const hash = await hashPassword(password)
  await query(
    url,
    `INSERT INTO "user" (id, name, email, "emailVerified", "tradingEnabled", "riskLevel")
     SELECT 'user-' || i, 'User ' || i, 'user-' || i || '@example.com', true, false, 'conservative' FROM generate_series(0, ${userCount - 1}) AS i;
     INSERT INTO account (id, "accountId", "providerId", "userId", password, "updatedAt")
     SELECT 'account-' || i, 'user-' || i, 'credential', 'user-' || i, '${hash}', now() FROM generate_series(0, ${userCount - 1}) AS i;
     INSERT INTO organization (id, name, slug, "createdAt")
     SELECT 'desk-' || i, 'Desk ' || i, 'desk-' || i, now() FROM generate_series(0, ${2 * activeUsers - 1}) AS i;
     INSERT INTO member (id, "organizationId", "userId", role, "createdAt")
     SELECT 'member-' || i, 'desk-' || i, 'user-' || i / 2, 'owner', now() FROM generate_series(0, ${2 * activeUsers - 1}) AS i;
     INSERT INTO session (id, token, "userId", "ipAddress", "userAgent", "updatedAt", "expiresAt")
     SELECT 'session-' || i, ${sessionTokenSql}, 'user-' || i / ${sessionsPerUser}, '127.0.0.1', 'bench', now(), now() + interval '7 days'
     FROM generate_series(0, ${userCount * sessionsPerUser - 1}) AS i;`,
  )
  await query(url, 'VACUUM ANALYZE')
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`SET TIME ZONE 'UTC'`)
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return url.href
}
