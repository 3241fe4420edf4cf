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
  // npm runs scripts in the folder of the repository, and says where the person is.
  const file = resolve(environment.INIT_CWD ?? '.', given ?? '')
  if (database.kind === 'postgres')
    fail('The database is PostgreSQL (DATABASE_URL): back it up with pg_dump, restore it with pg_restore. See docs/backup.md.', 2)
  else {
    const place = { dataDir, directory: database.directory, authSecrets }
    if (command === 'backup') {
      const { bytes, online, holdsSecret } = await backUp(place, file)
      print(`Backed up ${(bytes / 1e6).toFixed(1)} MB of ${online ? 'the running service' : 'the stopped service'} to ${file}.`)
      print(
        holdsSecret
          ? 'It holds the secret of the service: who has this file can read what the secret seals. Keep it like a password.'
          : 'AUTH_SECRET is not in it: without it the second factors and waiting mails cannot be opened. Keep it, elsewhere.',
      )
    } else {
      const { users, createdAt } = await restore(place, file, { secretIsAnother: words.includes(flag) })
      print(
        `Restored ${users} accounts as they were on ${createdAt} to ${database.directory}. Start the service: it brings the schema up to date.`,
      )
    }
  }
} catch (error) {
  fail(error instanceof BackupError ? error.message : explainStartFailure(error), 1)
}
process.exit(0)
