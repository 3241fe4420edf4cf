// Writes a new capability with everything that belongs to it, and a failing test: npm run new:capability <module> <verb-noun>
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { fail, say } from './run.mjs'

/** Writes the capability below `root`. Returns the paths of the files that it wrote or changed; throws when it cannot. */
export function createCapability(root, module, name) {
  const modules = readdirSync(join(root, 'packages/api/src')).filter((folder) =>
    existsSync(join(root, 'packages/api/src', folder, 'router.ts')),
  )
  if (!modules.includes(module)) throw new Error(`There is no module "${module}". The modules are: ${modules.join(', ')}.`)
  if (!/^[a-z]+(-[a-z]+)+$/.test(name)) throw new Error(`"${name}" is no verb and noun in lower case, such as rename-session.`)
  const own = `packages/api/src/${module}/${name}.ts`
  if (existsSync(join(root, own))) throw new Error(`${own} exists already.`)

  const camel = name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase())
  const procedure = procedureName(module, name)
  const api = module.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase())
  const path = module === 'organizations' || module === 'two-factor' ? `/${module.replace(/s$/, '')}/${name}` : `/${name}`
  const label = `${name[0].toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`
  const test = `packages/functions/src/tests/${module}/${name}.test.ts`
  const changed = new Set()

  const write = (file, text) => {
    writeFileSync(join(root, file), text)
    changed.add(file)
  }
  /** Inserts `text` after the last match of `anchor`. */
  const insert = (file, anchor, text) => {
    const source = readFileSync(join(root, file), 'utf8')
    const match = [...source.matchAll(new RegExp(anchor, `${anchor.flags}g`))].at(-1)
    if (!match) throw new Error(`${file} has no place for it: ${anchor} is not there.`)
    const end = match.index + match[0].length
    write(file, source.slice(0, end) + text + source.slice(end))
  }

  insert(
    `packages/api/src/${module}/contract.ts`,
    /\n$/,
    `\nexport const ${camel}Input = z.object({ value: z.string().min(1).max(40) })\n`,
  )
  write(own, procedureText({ module, name, camel }))
  insert(`packages/api/src/${module}/router.ts`, /^import .* from '\.\/.*'$/m, `\nimport { ${camel} } from './${name}.ts'`)
  insert(
    `packages/api/src/${module}/router.ts`,
    /,(?=\n\}\)\n)/,
    `\n  ${procedure === camel ? camel : `${procedure}: ${camel}`},`,
  )
  insert('packages/api/src/audit-log/audit-actions.ts', /^ {2}'[a-z-]+',$/m, `\n  '${name}',`)
  const languages = readdirSync(join(root, 'packages/languages/src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  for (const { name: folder } of languages)
    insert(`packages/languages/src/${folder}/server.ts`, /^ +'update-user': .*$/m, `\n    '${name}': '${label}',`)
  insert(
    'packages/functions/src/rest/routes.ts',
    new RegExp(`^ {2}'?${module}'?: \\[(?:(?!\\n {2}\\],)[^])*`, 'm'),
    `
    post('${path}', {
      access: 'session',
      summary: '${label}',
      input: contracts.${camel}Input,
      answer: contracts.statusAnswer,
      call: (api, body) => api.${api}.${procedure}(body),
    }),`,
  )
  insert(
    'packages/testing/src/route-samples.ts',
    /^ {4}'POST \/update-user': .*$/m,
    `\n    'POST ${path}': async () => ({ value: 'changed' }),`,
  )
  const tables = 'packages/functions/src/tests'
  insert(`${tables}/rest/spec-rows.test.ts`, /^const addedRoutes = \[$/m, `\n  'POST ${path}',`)
  insert(
    `${tables}/audit/one-transaction.test.ts`,
    /^ {2}\{ path: '\/update-user', .*$/m,
    `\n  { path: '${path}', action: '${name}', mails: false },`,
  )
  insert(
    `${tables}/sign-in/issue-16-thief-with-a-cookie.test.ts`,
    /^const attempts: .*\{$/m,
    `\n  '${path}': { bodies: () => [{ value: 'changed' }] },`,
  )
  write(test, testText({ name, path }))
  return [...changed]
}

/** `rename` for rename-session in sessions, `renameTeam` for rename-team there. */
function procedureName(module, name) {
  const words = name.split('-')
  const rest = module.startsWith(words.at(-1)) ? words.slice(0, -1) : words
  return rest.map((word, index) => (index === 0 ? word : word[0].toUpperCase() + word.slice(1))).join('')
}

const procedureText = ({ module, name, camel }) => `import { mutation } from '../mutation.ts'
import { ${camel}Input } from './contract.ts'

/** TODO(#issue): what it does, in one sentence, and its error codes. Spec: docs/specs/${module}.md. */
export const ${camel} = mutation({
  access: 'session',
  input: ${camel}Input,
  limit: 'update-user:user',
  events: ['${name}'],
  mails: [],
  cookies: [],

  lock: 'caller',
  async change(_tx, _scope) {
    return { events: [{ action: '${name}' }], result: { status: true as const } }
  },
})
`

const testText = ({ name, path }) => `import { createTestApp } from '@floorpass/testing/create-test-app'
import { expect, test } from 'vitest'

const app = await createTestApp()

test('changes what the user asked for', async () => {
  const tab = await app.signedIn()
  const { status } = await tab.post('/auth${path}', { value: 'changed' })
  expect(status).toBe(200)
  expect.fail('${name} has no test of what it changes. Write it here, then one for each refusal.')
})
`

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [module = '', name = ''] = process.argv.slice(2)
  try {
    const changed = createCapability(fileURLToPath(new URL('..', import.meta.url)), module, name)
    say(
      `${changed.map((file) => `  ${file}`).join('\n')}\n\nNext: the input, the rule, the test; then steps 9 and 10 of "How do I add a capability?" in CONTRIBUTING.md.`,
    )
  } catch (error) {
    fail('No capability was written.', error.message, 'Usage: npm run new:capability <module> <verb-noun>')
  }
}
