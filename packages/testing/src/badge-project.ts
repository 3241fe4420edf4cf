import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startTool, type ToolResult } from './tool-process.ts'

export type BadgeProject = {
  root: string
  write(path: string, text: string): void
  read(path: string): string
  /** Runs the tool in the project, with only the given variables set. */
  run(args: string[], environment?: Record<string, string>): Promise<ToolResult>
}

/** Creates a folder with these specifications. The test removes it when it finishes. */
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
    run: (args, environment = {}) => startTool('badges', args, { cwd: root, environment }).ended,
  }
}

type FileResult = { name: string; tests: string[]; status?: string }

/** A report of Vitest's JSON reporter, with the test statuses of each file. */
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
