import { openAsBlob } from 'node:fs'
import { startEngine } from '@floorpass/db/embedded'

type Engine = Awaited<ReturnType<typeof startEngine>>
type Migrated = { engine: Engine; schema: string; tables: string[] }

// A new engine takes ten times as long as emptying the tables of a used one, and 200 MB.
const unused: Migrated[] = []
const maxUnused = 5

export type BorrowedEngine = { engine: Engine; release(): Promise<void> }

/** A migrated database with the rows of its migrations. A borrower that changed the schema returns an engine that is closed. */
export async function borrowEngine(template: string): Promise<BorrowedEngine> {
  const migrated = unused.pop() ?? (await startMigrated(template))
  const { engine, schema, tables } = migrated
  return {
    engine,
    release: async () => {
      if (engine.closed) return
      await engine.exec('DISCARD ALL')
      if (unused.length >= maxUnused || (await describeSchema(engine)) !== schema) return engine.close()
      const { rows: used } = await engine.query<{ name: string }>(
        tables.map((name) => `SELECT '${name}' AS name WHERE EXISTS (SELECT FROM ${name})`).join(' UNION ALL '),
      )
      if (used.length > 0) await engine.exec(`TRUNCATE ${used.map(({ name }) => name).join(', ')} CASCADE`)
      // A migration inserts this row.
      await engine.exec('INSERT INTO event_feed DEFAULT VALUES')
      unused.push(migrated)
    },
  }
}

async function startMigrated(template: string): Promise<Migrated> {
  const engine = await startEngine(null, await openAsBlob(template))
  const { rows } = await engine.query<{ name: string }>(
    `SELECT quote_ident(relname) AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> '_prisma_migrations'`,
  )
  return { engine, schema: await describeSchema(engine), tables: rows.map(({ name }) => name) }
}

async function describeSchema(engine: Engine): Promise<string> {
  const { rows } = await engine.query<{ schema: string }>(
    `SELECT md5(concat_ws(' ',
       (SELECT string_agg(c::text, ' ' ORDER BY c.oid) FROM
         (SELECT oid, relname, relkind, reloptions, relrowsecurity, relpersistence, relacl FROM pg_class WHERE relnamespace = 'public'::regnamespace) c),
       (SELECT string_agg(concat_ws(' ', attrelid, attname, attnum, atttypid, attnotnull, attisdropped, attoptions), ' ' ORDER BY attrelid, attnum)
        FROM pg_attribute WHERE attrelid >= 16384),
       (SELECT string_agg(concat_ws(' ', adrelid, adnum, adbin), ' ' ORDER BY oid) FROM pg_attrdef),
       (SELECT string_agg(concat_ws(' ', oid, conname, convalidated, conbin), ' ' ORDER BY oid) FROM pg_constraint),
       (SELECT string_agg(concat_ws(' ', tgrelid, tgname, tgenabled, tgfoid), ' ' ORDER BY oid) FROM pg_trigger),
       (SELECT string_agg(concat_ws(' ', oid, proname, prosrc), ' ' ORDER BY oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace),
       (SELECT string_agg(s::text, ' ') FROM pg_db_role_setting s),
       (SELECT count(*) FROM _prisma_migrations))) AS schema`,
  )
  return rows[0]?.schema ?? ''
}
