import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'

const run = promisify(execFile)
const script = fileURLToPath(new URL('../../../../../scripts/lint-language.mjs', import.meta.url))
const directories: string[] = []

afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true })
})

/** What the lint reports about a repository that has this one file. */
async function lint(file: string, text: string): Promise<{ code: number; stderr: string }> {
  const cwd = await mkdtemp(join(tmpdir(), 'language-'))
  directories.push(cwd)
  await mkdir(join(cwd, dirname(file)), { recursive: true })
  await writeFile(join(cwd, file), text)
  await run('git', ['init', '--quiet'], { cwd })
  return run(process.execPath, [script], { cwd }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  )
}

test.each([
  `const isFrench = locale === 'fr'`,
  `const format = new Intl.NumberFormat("fr-FR")`,
  `const locales = ['en', other]`,
  'const tag = `en_US`',
  'const page = html`<html lang="en">`',
  `const greetings = { en: hello, fr: bonjour }`,
  `  fr: 'Bonjour',`,
])('refuses a code of a language outside the languages: %s', async (line) => {
  const { code, stderr } = await lint('packages/api/src/mail/greeting.ts', `// Greets.\n${'run()\n'.repeat(20)}${line}\n`)
  expect(code).toBe(1)
  expect(stderr).toMatch(/^packages\/api\/src\/mail\/greeting\.ts:22: .+ names a language: use the list of packages\/languages\n/)
})

test.each([
  ['packages/languages/src/fr/pages.ts', `const tag = 'fr'`],
  ['packages/functions/src/tests/mail/greeting.test.ts', `const locale = 'fr'`],
  ['packages/testing/src/person.ts', `const locale = 'fr'`],
  ['features/greeting.spec.ts', `const locale = 'fr'`],
  ['packages/api/src/mail/greeting.ts', `import words from '@zxcvbn-ts/language-fr'`],
  ['packages/api/src/mail/greeting.ts', `const domains = 'free.fr' + when.then + open`],
])('accepts in %s: %s', async (file, line) => {
  expect(await lint(file, `${line}\n`)).toEqual({ code: 0, stderr: '' })
})

test.each([
  ['a phrase that has a plainer word', `const text = "${'some'}body"`, `"${'some'}body"`],
  ['a title whose subject is "who"', `test('pages: ${'who'} is signed in sees it')`, `"'pages: ${'who'}"`],
  ['a sentence about a retired name', `test('passwords: a ${'ver'}dict is gone')`, `"a ${'ver'}dict"`],
  ['a retired name', `const keep = find${'Way'}()`, `"find${'Way'}"`],
  ['a wait that gives up after a second', `await vi.${'waitFor'}(isReady)`, `"vi.${'waitFor'}"`],
  ['too many comments', '// One.\n// Two.', 'comments are 100.0 %'],
])('refuses %s', async (_, line, problem) => {
  const { code, stderr } = await lint('packages/api/src/mail/greeting.ts', `${line}\n`)
  expect(code).toBe(1)
  expect(stderr).toContain(problem)
})
