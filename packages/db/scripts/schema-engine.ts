import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg'
import { PrismaPGlite } from 'pglite-prisma-adapter'

const prismaFolder = fileURLToPath(new URL('../prisma/', import.meta.url))
const noFilters = { externalTables: [], externalEnums: [] }
let loaded = false

/** Opens Prisma's schema engine on an in-memory database, empty or from a dump. For development and tests only. */
export const openSchemaEngine = async (template?: Blob) => {
  await loadEngine()
  const client = await PGlite.create(template ? { loadDataDir: template } : {})
  const schema = {
    path: join(prismaFolder, 'schema.prisma'),
    content: await readFile(join(prismaFolder, 'schema.prisma'), 'utf8'),
  }
  const migrationsList = await readMigrationsList(join(prismaFolder, 'migrations'))
  const adapters: SqlMigrationAwareDriverAdapterFactory = {
    ...createAdapter(client),
    connectToShadowDb: async () => {
      const shadow = await PGlite.create()
      return Object.assign(await createAdapter(shadow).connect(), { dispose: () => shadow.close() })
    },
  }
  const engine = await bindings.SchemaEngine.new(
    { datamodels: [[schema.path, schema.content]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(adapters),
  )

  return {
    /** The SQL that the migrations folder lacks, empty when it agrees with the schema. */
    missingMigration: async () => {
      const { stdout } = await engine.diff({
        from: { tag: 'migrations', ...migrationsList },
        to: { tag: 'schemaDatamodel', files: [schema] },
        script: true,
        exitCode: null,
        filters: noFilters,
      })
      return stdout?.includes('This is an empty migration') ? '' : (stdout ?? '')
    },
    diagnose: () => engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: true, filters: noFilters }),
    deploy: async () => (await engine.applyMigrations({ migrationsList, filters: noFilters })).appliedMigrationNames,
    dump: () => client.dumpDataDir('none'),
    close: () => client.close(),
  }
}

/** Prisma's adapter for PostgreSQL cannot read the catalog's type "char". This one reads it, but does not wait for a script. */
const createAdapter = (client: PGlite): SqlDriverAdapterFactory => ({
  provider: 'postgres',
  adapterName: 'schema-engine',
  connect: async () =>
    Object.assign(await new PrismaPGlite(client).connect(), {
      executeScript: async (script: string) => void (await client.exec(script)),
    }),
})

// The package's entry imports the WebAssembly file as an ES module, and Node warns about that.
const loadEngine = async () => {
  if (loaded) return
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm')
  const bytes = await readFile(join(dirname(entry), 'schema_engine_bg.wasm'))
  const { instance } = await WebAssembly.instantiate(bytes, {
    './schema_engine_bg.js': bindings as unknown as WebAssembly.ModuleImports,
  })
  const wasm = instance.exports as WebAssembly.Exports & { __wbindgen_start: () => void }
  bindings.__wbg_set_wasm(wasm)
  wasm.__wbindgen_start()
  loaded = true
}

const readMigrationsList = async (folder: string) => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
  return {
    baseDir: folder,
    lockfile: {
      path: './migration_lock.toml',
      content: await readFile(join(folder, 'migration_lock.toml'), 'utf8').catch(() => null),
    },
    migrationDirectories: await Promise.all(
      names.map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok' as const, value: await readFile(join(folder, name, 'migration.sql'), 'utf8') },
        },
      })),
    ),
    shadowDbInitScript: '',
  }
}
