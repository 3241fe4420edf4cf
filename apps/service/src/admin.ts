import { writeFile } from 'node:fs/promises'
import { constants, setPriority, userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { runCommand } from '@floorpass/admin'
import { requestCommand } from './admin-socket.ts'
import { findEmbeddedDirectory, openForMigration, openForOperator } from './open-service.ts'
import { explainStartFailure } from './start-failure.ts'

async function ask(question: string, signal?: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question, { ...(signal && { signal }) })
  } catch {
    return ''
  } finally {
    terminal.close()
  }
}

// Requests of the service come first: an import uses every core that they leave.
try {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
} catch {
  // It may have a lower one already, or a sandbox forbids it.
}

const argv = process.argv.slice(2)
const operator = {
  user: findMachineUser(),
  say: (line: string) => void process.stderr.write(`${line}\n`),
  ask: process.stdin.isTTY ? ask : null,
  write: (path: string, text: string) => writeFile(path, text, { mode: 0o600, flag: 'wx' }),
}
const directory = findEmbeddedDirectory()
const databaseKind = directory === null ? 'postgres' : 'embedded'
const { stdout, exitCode } =
  (directory === null ? null : await requestCommand(directory, argv, operator)) ??
  (await runCommand(argv, {
    ...operator,
    open: (options) => openForOperator(undefined, options),
    openDatabase: (options) => openForMigration(undefined, options),
    databaseKind,
    explainOpenFailure: (error) => explainStartFailure(error, databaseKind),
    terminal: process.stderr.isTTY
      ? { write: (text) => void process.stderr.write(text), columns: () => process.stderr.columns }
      : null,
  }))
process.stdout.write(stdout)
process.exitCode = exitCode

/** Empty when the user has no name, as in many containers. */
function findMachineUser(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}
