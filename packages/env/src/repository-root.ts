import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

export function repositoryRoot() {
  for (let directory = process.cwd(); ; directory = dirname(directory)) {
    if (existsSync(join(directory, 'pnpm-workspace.yaml'))) return directory
    if (directory === dirname(directory)) return process.cwd()
  }
}
