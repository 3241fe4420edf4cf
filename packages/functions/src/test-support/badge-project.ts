import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { variables } from '@floorpass/env'
import { onTestFinished } from 'vitest'

const start = fileURLToPath(new URL('../../../badges/start.mjs', import.meta.url))

export type BadgeProject = {
  root: string
  write(path: string, text: string): void
  read(path: string): string
  /** Runs the tool in the project; only the given variables are set. */
  run(args: string[], environment?: Record<string, string>): Promise<{ code: number | null; stdout: string; stderr: string }>
}

/** A folder with these specifications, for one test. */
export function createBadgeProject(specs: Record<string, string> = {}): BadgeProject {
  const root = mkdtempSync(join(tmpdir(), 'floorpass-badges-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  mkdirSync(join(root, 'docs/specs'), { recursive: true })
  for (const [name, text] of Object.entries(specs)) write(`docs/specs/${name}.md`, text)
  return {
    root,
    write,
    read: (path) => readFileSync(join(root, path), 'utf8'),
    async run(args, environment = {}) {
      const child = spawn(process.execPath, [start, ...args], {
        cwd: root,
        env: { ...Object.fromEntries(variables.map((name) => [name, ''])), PATH: process.env.PATH, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const output = { stdout: '', stderr: '' }
      for (const stream of ['stdout', 'stderr'] as const) {
        child[stream].on('data', (chunk: Buffer) => {
          output[stream] += chunk
        })
      }
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, ...output }
    },
  }
}

type FileResult = { name: string; tests: string[]; status?: string }

/** A report of Vitest's: for each file the statuses of its tests. */
export const vitestReport = (...files: FileResult[]): string =>
  JSON.stringify({
    success: true,
    testResults: files.map(({ name, tests, status }) => ({
      name,
      status: status ?? (tests.includes('failed') ? 'failed' : 'passed'),
      message: '',
      assertionResults: tests.map((result) => ({ status: result, title: 'a fact', fullName: 'a fact', failureMessages: [] })),
    })),
  })
