import { writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { runCommand, type Surroundings } from '@floorpass/admin'
import { explainStartFailure, openForMigration, openForOperator } from '@floorpass/service'
import type { TestApp } from './create-test-app.ts'
import { startTool, type ToolResult } from './tool-process.ts'

export { openProgress } from '@floorpass/admin'

export type CommandResult = ToolResult & { json: unknown }

/** Runs `npm run admin -- …` in its own process, with only the given variables set. `json` is its parsed output, or null. */
export async function admin(environment: Record<string, string>, ...args: string[]): Promise<CommandResult> {
  const result = await startTool('admin', args, { environment }).ended
  return { ...result, json: /^[[{]/.test(result.stdout) ? JSON.parse(result.stdout) : null }
}

/**
 * Runs the commands in this process, on the database of a test app: a process takes seconds to load, and an embedded database
 * admits one. Resolves after the app has received the session invalidations.
 */
export const adminOf =
  ({ service }: Pick<TestApp, 'service'>, databaseKind: Surroundings['databaseKind'] = 'postgres') =>
  async (...args: string[]): Promise<CommandResult> => {
    const open = async () => ({ ...service, stop: async () => {} })
    const openDatabase = () => Promise.reject(new Error('the database is open in this process'))
    const result = await runHere(args, { open, openDatabase, databaseKind })
    await service.deps.changes.flush()
    return result
  }

/** Runs the commands in this process, with the given settings. */
export const adminHere = (environment: Record<string, string>, ...args: string[]): Promise<CommandResult> =>
  runHere(args, {
    open: (options) => openForOperator(environment, options),
    openDatabase: (options) => openForMigration(environment, options),
    databaseKind: environment.DATABASE_URL ? 'postgres' : 'embedded',
  })

async function runHere(
  args: string[],
  database: Pick<Surroundings, 'open' | 'openDatabase' | 'databaseKind'>,
): Promise<CommandResult> {
  const lines: string[] = []
  const { stdout, exitCode } = await runCommand(args, {
    ...database,
    explainOpenFailure: (error) => explainStartFailure(error, database.databaseKind),
    say: (line) => void lines.push(line),
    ask: null,
    write: (path, text) => writeFile(path, text, { mode: 0o600, flag: 'wx' }),
    user: userInfo().username,
  })
  const stderr = lines.map((line) => `${line}\n`).join('')
  return { code: exitCode, stdout, stderr, json: /^[[{]/.test(stdout) ? JSON.parse(stdout) : null }
}
