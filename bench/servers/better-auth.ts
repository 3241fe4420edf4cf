import { createServer } from 'node:http'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { organization } from 'better-auth/plugins'
import pg from 'pg'

// better-auth as documented for production on PostgreSQL, with Floorpass's user fields. Database joins are on (the default is
// slower), and rate limits are off on both sides.

type Options = { port: number; url: string; secret: string; cookieCache: boolean; migrate: boolean }

process.once('message', async ({ port, url, secret, cookieCache, migrate }: Options) => {
  const auth = betterAuth({
    database: new pg.Pool({ connectionString: url, max: 10 }),
    secret,
    baseURL: `http://127.0.0.1:${port}`,
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    advanced: { database: { joins: true } },
    telemetry: { enabled: false },
    session: cookieCache ? { cookieCache: { enabled: true, maxAge: 600 } } : {},
    user: {
      additionalFields: {
        tradingEnabled: { type: 'boolean', required: false, defaultValue: false },
        riskLevel: { type: 'string', required: false, defaultValue: 'conservative' },
      },
    },
    plugins: [organization()],
  })
  if (migrate) await (await getMigrations(auth.options)).runMigrations()
  createServer(toNodeHandler(auth)).listen(port, '127.0.0.1', () => process.send?.('up'))
})
