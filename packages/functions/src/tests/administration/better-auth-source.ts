import { createTestDatabase } from '@floorpass/testing/test-database'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import pg from 'pg'

/** Creates a PostgreSQL database of better-auth itself. `close` removes it. */
export async function createBetterAuthSource<Options extends BetterAuthOptions>(options: Options) {
  const source = await createTestDatabase({ empty: true })
  const { url } = source.options as { url: string }
  const pool = new pg.Pool({ connectionString: url })
  // pool.end() resolves before the connections are closed, and the removal of the database ends them first.
  pool.on('connect', (client) => client.on('error', () => {}))
  const auth = betterAuth({
    ...options,
    baseURL: 'http://localhost:3000',
    secret: 'a key of better-auth that is long enough 9',
    database: pool,
    telemetry: { enabled: false },
    emailAndPassword: { enabled: true },
  })
  await (await getMigrations(auth.options)).runMigrations()
  const close = async () => {
    await pool.end()
    await source.drop()
  }
  return { auth, pool, url, close }
}
