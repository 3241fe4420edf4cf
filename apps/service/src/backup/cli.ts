import { resolve } from 'node:path'
import { loadConfig, readEnvironment } from '@floorpass/env'
import { explainStartFailure } from '../start-failure.ts'
import { BackupError } from './archive.ts'
import { backUp, restore } from './backup.ts'

const flag = '--secret-is-another'
const [command, ...words] = process.argv.slice(2)
const [given, extra] = words.filter((word) => word !== flag)
const print = (line: string) => process.stdout.write(`${line}\n`)
const fail = (line: string, code: number): never => {
  process.stderr.write(`${line}\n`)
  process.exit(code)
}

if ((command !== 'backup' && command !== 'restore') || !given || extra || (command === 'backup' && words.includes(flag)))
  fail('Usage: npm run backup -- <file>\n       npm run restore -- <file> [--secret-is-another]\nSee docs/backup.md.', 2)

try {
  const environment = readEnvironment()
  const { database, dataDir, authSecrets } = loadConfig(environment)
  const file = resolve(environment.INIT_CWD ?? '.', given ?? '')
  if (database.kind === 'postgres')
    fail('The database is PostgreSQL (DATABASE_URL): back it up with pg_dump, restore it with pg_restore. See docs/backup.md.', 2)
  else {
    const location = { dataDir, directory: database.directory, authSecrets }
    if (command === 'backup') {
      const { bytes, online, holdsSecret } = await backUp(location, file)
      print(`Backed up ${(bytes / 1e6).toFixed(1)} MB of ${online ? 'the running service' : 'the stopped service'} to ${file}.`)
      print(
        holdsSecret
          ? 'The file contains the secret of the service and can therefore be read in full. Protect it like a password.'
          : 'The file does not contain AUTH_SECRET, which opens second factors and queued emails. Keep AUTH_SECRET somewhere else.',
      )
    } else {
      const { users, createdAt } = await restore(location, file, { secretIsAnother: words.includes(flag) })
      print(`Restored ${users} accounts as of ${createdAt} to ${database.directory}. Start the service: it updates the schema.`)
    }
  }
} catch (error) {
  fail(error instanceof BackupError ? error.message : explainStartFailure(error, 'embedded'), 1)
}
process.exit(0)
