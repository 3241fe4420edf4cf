import { randomBytes } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import type { DatabaseOptions } from '@floorpass/db'
import { inject } from 'vitest'
import { borrowEngine } from './embedded-engines.ts'
import { asAdmin, urlOf } from './test-templates.ts'

export type TestDatabase = {
  options: DatabaseOptions
  drop: () => Promise<void>
  /** Closes every connection and renames the database. Returns a function that undoes the renaming. Null on the embedded database. */
  hide: (() => Promise<() => Promise<void>>) | null
}

/** The database under test: PostgreSQL when TEST_DATABASE_URL or DATABASE_URL is set. */
export const testDatabase = { kind: inject('testTemplates').kind }

/** A migrated database for an app of this process. The embedded engine is used again by later apps. */
export const borrowTestDatabase = async (): Promise<TestDatabase & { lose: (() => Promise<void>) | null }> => {
  const templates = inject('testTemplates')
  if (templates.kind === 'postgres') return { ...(await createTestDatabase()), lose: null }
  const { engine, release } = await borrowEngine(templates.migrated)
  return { options: { kind: 'embedded', directory: null, engine }, drop: release, hide: null, lose: () => engine.close() }
}

/** Creates a database, migrated unless `empty`. An embedded one is copied from its template each time it is opened. */
export const createTestDatabase = async ({ empty = false } = {}): Promise<TestDatabase> => {
  const templates = inject('testTemplates')
  const template = empty ? templates.empty : templates.migrated
  if (templates.kind === 'embedded') {
    return {
      options: { kind: 'embedded', directory: null, template: await openAsBlob(template) },
      drop: async () => {},
      hide: null,
    }
  }

  const name = `${templates.run}_${randomBytes(6).toString('hex')}`
  await asAdmin(templates.adminUrl, (admin) => admin.query(`CREATE DATABASE "${name}" TEMPLATE "${template}"`))
  return {
    options: { kind: 'postgres', url: urlOf(templates.adminUrl, name) },
    drop: () => asAdmin(templates.adminUrl, (admin) => admin.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)),
    hide: async () => {
      const rename = (from: string, to: string) =>
        asAdmin(templates.adminUrl, async (admin) => {
          await admin.query(`ALTER DATABASE "${from}" ALLOW_CONNECTIONS false`)
          await admin.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1', [from])
          await admin.query(`ALTER DATABASE "${from}" RENAME TO "${to}"`)
          await admin.query(`ALTER DATABASE "${to}" ALLOW_CONNECTIONS true`)
        })
      await rename(name, `${name}_hidden`)
      return () => rename(`${name}_hidden`, name)
    },
  }
}
