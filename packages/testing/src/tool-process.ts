import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { variables } from '@floorpass/env'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

export type ToolResult = { code: number | null; stdout: string; stderr: string }
export type ToolProcess = { child: ChildProcess; ended: Promise<ToolResult> }

const files = {
  admin: 'apps/service/src/admin.ts',
  backup: 'apps/service/src/backup/cli.ts',
  badges: 'packages/badges/src/cli.ts',
}

type Surroundings = { cwd?: string; environment?: Record<string, string> }

/** Runs a command line of the workspace in its own process, with only the given variables set. */
export function startTool(
  name: keyof typeof files,
  args: string[],
  { cwd = root, environment = {} }: Surroundings = {},
): ToolProcess {
  const child = spawn(process.execPath, [`${root}scripts/run-typescript.mjs`, files[name], ...args], {
    cwd,
    env: { ...Object.fromEntries(variables.map((variable) => [variable, ''])), PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk: Buffer) => {
      output[stream] += chunk
    })
  }
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, ...output })) }
}
