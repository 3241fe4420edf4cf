import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '../../packages/db/src/client.ts'
import { copyMigratedDatabase, template } from './separate-service.ts'

// playwright.config.ts runs this before it starts the service of all tests.
await rm(template, { recursive: true, force: true })
const { migrate, close } = await openDatabase({ kind: 'embedded', directory: join(template, 'database') })
await migrate().finally(close)
await copyMigratedDatabase(String(process.env.DATA_DIR))
