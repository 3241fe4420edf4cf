import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { loadConfig, variables } from '@floorpass/env'
import { afterEach, expect, it } from 'vitest'

const example = readFileSync(new URL('../../../../../.env.example', import.meta.url), 'utf8')
const entry = createRequire(import.meta.url).resolve('@floorpass/env')
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function readIn(folder: string, environment: Record<string, string>) {
  const script = `const { readEnvironment } = await import(${JSON.stringify(entry)}); const { PORT, APP_NAME, LOG_LEVEL } = readEnvironment(); console.log(JSON.stringify({ PORT, APP_NAME, LOG_LEVEL }))`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  })
  return JSON.parse(output) as Record<string, string>
}

it('.env.example lists every variable of the schema once', () => {
  const named = [...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map((match) => match[1])
  expect(named.sort()).toEqual([...variables].sort())
})

it('.env.example changes nothing when copied unchanged', () => {
  expect(loadConfig(parseEnv(example))).toEqual(loadConfig({}))
})

it('reads .env from the root of the repository, and real variables override it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'floorpass-env-'))
  folders.push(folder)
  writeFileSync(join(folder, '.env'), 'PORT=4001\nAPP_NAME="From the file"\n')
  expect(readIn(folder, { PORT: '4002', LOG_LEVEL: 'warn' })).toEqual({
    PORT: '4002',
    APP_NAME: 'From the file',
    LOG_LEVEL: 'warn',
  })
})

it('works without a .env file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'floorpass-env-'))
  folders.push(folder)
  expect(readIn(folder, { PORT: '4002' })).toEqual({ PORT: '4002' })
})
