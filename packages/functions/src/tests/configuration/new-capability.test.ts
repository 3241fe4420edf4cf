import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
// @ts-expect-error Plain JavaScript without types.
import { createCapability } from '../../../../../scripts/new-capability.mjs'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const copied = [
  'packages/api/src',
  'packages/languages/src',
  'packages/functions/src/rest',
  'packages/testing/src/route-samples.ts',
  'packages/functions/src/tests/rest/spec-rows.test.ts',
  'packages/functions/src/tests/audit/one-transaction.test.ts',
  'packages/functions/src/tests/sign-in/issue-16-thief-with-a-cookie.test.ts',
]

/** Copies the workspace files that a new capability changes into a folder of the test. */
function copyWorkspace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'floorpass-capability-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const path of copied) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  for (const module of readdirSync(join(root, 'packages/functions/src/tests')))
    mkdirSync(join(folder, 'packages/functions/src/tests', module), { recursive: true })
  return folder
}

test.each([
  ['sessions', 'nickname-session', '/nickname-session', 'api.sessions.nickname(body)'],
  ['organizations', 'archive-organization', '/organization/archive-organization', 'api.organizations.archive(body)'],
  ['two-factor', 'rename-device', '/two-factor/rename-device', 'api.twoFactor.renameDevice(body)'],
])('a new capability of %s gets a contract, rule, route, texts, table rows and a test', (module, name, path, call) => {
  const folder = copyWorkspace()
  const changed: string[] = createCapability(folder, module, name)
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  expect(changed.length).toBe(12)
  const anyName = new RegExp(`${name}|${name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())}`)
  for (const file of changed) expect([file, read(file)]).toEqual([file, expect.stringMatching(anyName)])
  expect(read('packages/functions/src/rest/routes.ts')).toContain(call)
  expect(read('packages/testing/src/route-samples.ts')).toContain(`'POST ${path}'`)
})

test.each([
  ['session', 'rename-session', /no module "session"/],
  ['sessions', 'rename', /"rename" is no verb and noun/],
  ['sessions', 'revoke-session', /exists already/],
])('writes nothing for %s %s, and says why', (module, name, reason) => {
  const folder = copyWorkspace()
  const before = readFileSync(join(folder, 'packages/api/src/sessions/contract.ts'), 'utf8')
  expect(() => createCapability(folder, module, name)).toThrow(reason)
  expect(readFileSync(join(folder, 'packages/api/src/sessions/contract.ts'), 'utf8')).toBe(before)
  expect(existsSync(join(folder, 'packages/api/src/sessions/rename.ts'))).toBe(false)
})
