import { runCommand } from '@floorpass/admin'
import { explainStartFailure, openForOperator } from '@floorpass/service'
import type { TestApp } from './create-test-app.ts'
import { startTool, type ToolResult } from './tool-process.ts'

export type CommandResult = ToolResult & { json: unknown }

/** The real `npm run admin -- …` as a process of its own. Only the given variables are set; `json` is what it printed, when it is JSON. */
export async function admin(environment: Record<string, string>, ...args: string[]): Promise<CommandResult> {
  const result = await startTool('admin', args, { environment }).ended
  return { ...result, json: /^[[{]/.test(result.stdout) ? JSON.parse(result.stdout) : null }
}

/**
 * The same commands in this process, on the database of a test app: a process of its own takes seconds to load, and could not open an
 * embedded database beside it. What they changed, the app has heard of when they resolve.
 */
export const adminOf =
  ({ service }: Pick<TestApp, 'service'>) =>
  async (...args: string[]): Promise<CommandResult> => {
    const result = await runHere(args, async () => ({ ...service, stop: async () => {} }))
    await service.deps.sessionCache.settle()
    return result
  }

/** The same commands in this process, with settings of their own. */
export const adminHere = (environment: Record<string, string>, ...args: string[]): Promise<CommandResult> =>
  runHere(args, (options) => openForOperator(environment, options))

async function runHere(args: string[], open: Parameters<typeof runCommand>[1]['open']): Promise<CommandResult> {
  const lines: string[] = []
  const { stdout, exitCode } = await runCommand(args, {
    open,
    explainOpenFailure: explainStartFailure,
    say: (line) => void lines.push(line),
    ask: null,
  })
  const stderr = lines.map((line) => `${line}\n`).join('')
  return { code: exitCode, stdout, stderr, json: /^[[{]/.test(stdout) ? JSON.parse(stdout) : null }
}
