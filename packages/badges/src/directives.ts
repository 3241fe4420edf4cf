import { type Problem, ToolError } from './problem.ts'

export type Directives = {
  /** In minutes. */
  frequency: number
  locations: string[]
  alerts: string[]
  tags: string[]
}

/** The frequencies that Checkly offers for browser checks. */
const frequencies = new Map([
  ['1m', 1],
  ['2m', 2],
  ['5m', 5],
  ['10m', 10],
  ['15m', 15],
  ['30m', 30],
  ['1h', 60],
  ['2h', 120],
  ['3h', 180],
  ['6h', 360],
  ['12h', 720],
  ['24h', 1440],
])
const locations = new Set(
  (
    'us-east-1 us-east-2 us-west-1 us-west-2 ca-central-1 sa-east-1 eu-west-1 eu-west-2 eu-west-3 eu-central-1 eu-north-1 eu-south-1 ' +
    'me-south-1 af-south-1 ap-south-1 ap-east-1 ap-southeast-1 ap-southeast-2 ap-southeast-3 ap-northeast-1 ap-northeast-2 ap-northeast-3'
  ).split(' '),
)
const names = ['frequency', 'locations', 'alerts', 'tags'] as const
type Name = (typeof names)[number]

const isName = (text: string): text is Name => names.some((name) => name === text)

/** Reads the directives at the top of a feature file. Throws a ToolError that lists every mistake with `path:line`. */
export function parseDirectives(path: string, source: string): Directives {
  const problems: Problem[] = []
  const found = new Map<Name, string[]>()
  const report = (line: number, what: string, why: string, fix: string) =>
    problems.push({ what: `${path}:${line}: ${what}`, why, fix })
  const example = 'Write it like: // @frequency 10m, // @locations eu-west-1, us-east-1, // @alerts oncall, // @tags passwords'

  let isHead = true
  for (const [index, line] of source.split(/\r?\n/).entries()) {
    if (line.trim() !== '' && !line.trim().startsWith('//')) isHead = false
    const directive = /^\s*\/\/\s*@(\S*)\s*(.*?)\s*$/.exec(line)
    if (!directive) continue
    const [, name = '', text = ''] = directive
    const values = text.split(',').map((value) => value.trim())
    const at = index + 1
    if (!isName(name)) {
      // Below the top, an ordinary comment may start with an at-sign.
      if (isHead)
        report(at, `@${name} is not a directive.`, `The directives are ${names.map((known) => `@${known}`).join(', ')}.`, example)
    } else if (!isHead)
      report(at, `@${name} is after the first line of code.`, 'Directives are read at the top of the file.', 'Move it there.')
    else if (found.has(name)) report(at, `@${name} appears twice.`, 'A directive may appear once.', 'Remove one of them.')
    else {
      found.set(name, values)
      for (const { why, fix } of findMistakes(name, values)) report(at, `@${name} ${text}`.trim(), why, fix)
    }
  }
  for (const name of names.filter((known) => !found.has(known))) {
    report(1, `@${name} is missing.`, 'The monitoring service needs it.', example)
  }
  if (problems.length > 0) throw new ToolError(...problems)
  const findValues = (name: Name) => found.get(name) ?? []
  return {
    frequency: frequencies.get(findValues('frequency')[0] ?? '') ?? 0,
    locations: findValues('locations'),
    alerts: findValues('alerts'),
    tags: findValues('tags'),
  }
}

function findMistakes(name: Name, values: string[]): Pick<Problem, 'why' | 'fix'>[] {
  if (values.some((value) => value === ''))
    return [{ why: 'A value is missing.', fix: 'Name at least one value. Separate values with commas.' }]
  if (new Set(values).size !== values.length) return [{ why: 'A value appears twice.', fix: 'Name each value once.' }]
  if (name === 'frequency') {
    const isKnown = values.length === 1 && frequencies.has(values[0] ?? '')
    return isKnown
      ? []
      : [
          {
            why: 'The monitoring service does not offer this frequency.',
            fix: `Use one of ${[...frequencies.keys()].join(', ')}.`,
          },
        ]
  }
  if (name === 'locations') {
    const unknown = values.filter((value) => !locations.has(value))
    return unknown.map((value) => ({
      why: `The monitoring service has no location ${value}.`,
      fix: `Use some of ${[...locations].join(', ')}.`,
    }))
  }
  const invalid = values.filter((value) => (name === 'tags' ? !/^[a-z0-9][a-z0-9-]*$/.test(value) : value.length > 100))
  return invalid.map((value) => ({
    why: `"${value.slice(0, 40)}" is not a valid ${name === 'tags' ? 'tag' : 'channel'}.`,
    fix: 'Use lower-case letters, digits and dashes.',
  }))
}
