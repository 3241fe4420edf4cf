import { constants, setPriority } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { runCommand } from '@floorpass/admin'
import { openForMigration, openForOperator } from './open-service.ts'
import { explainStartFailure } from './start-failure.ts'

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question)
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

const { stdout, exitCode } = await runCommand(process.argv.slice(2), {
  open: (options) => openForOperator(undefined, options),
  openDatabase: (options) => openForMigration(undefined, options),
  explainOpenFailure: explainStartFailure,
  say: (line) => void process.stderr.write(`${line}\n`),
  ask: process.stdin.isTTY ? ask : null,
  terminal: process.stderr.isTTY
    ? { write: (text) => void process.stderr.write(text), columns: () => process.stderr.columns }
    : null,
})
process.stdout.write(stdout)
process.exitCode = exitCode
