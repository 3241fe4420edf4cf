// Writes the next migration from the difference between the schema and the migrations folder. Review it before you commit it.
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openSchemaEngine } from './schema-engine.ts'

const name = process.argv[2]
if (!name || !/^[a-z0-9_]+$/.test(name)) {
  console.error('A migration needs a name of lower-case letters, digits and underscores: npm run new:migration add_nickname')
  process.exit(1)
}

const engine = await openSchemaEngine()
const sql = await engine.missingMigration()
await engine.close()

if (sql === '') {
  console.log('The migrations agree with the schema: nothing to write.')
} else {
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  const folder = fileURLToPath(new URL(`../prisma/migrations/${time}_${name}/`, import.meta.url))
  await mkdir(folder, { recursive: true })
  await writeFile(`${folder}migration.sql`, sql)
  console.log(`Wrote packages/db/prisma/migrations/${time}_${name}/migration.sql. Next: npm run bootstrap`)
}
