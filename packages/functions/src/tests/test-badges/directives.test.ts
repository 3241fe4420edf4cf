import { readdirSync, readFileSync } from 'node:fs'
import { parseDirectives, ToolError } from '@floorpass/badges'
import { describe, expect, test } from 'vitest'

const good = [
  '// @frequency 10m',
  '// @locations eu-west-1, us-east-1',
  '// @alerts oncall',
  '// @tags sign-in, critical',
  "import 'x'",
]

/** The problems in these lines, as `line text`. */
function problemsIn(...lines: string[]): string[] {
  try {
    parseDirectives('features/x.spec.ts', lines.join('\n'))
    return []
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return error.problems.map(({ what }) => what.replace('features/x.spec.ts:', ''))
  }
}

describe('the directives of a feature file', () => {
  test('configure the run of the monitoring service', () => {
    expect(parseDirectives('features/x.spec.ts', good.join('\r\n'))).toEqual({
      frequency: 10,
      locations: ['eu-west-1', 'us-east-1'],
      alerts: ['oncall'],
      tags: ['sign-in', 'critical'],
    })
  })

  const folder = new URL('../../../../../features/', import.meta.url)
  test.each(readdirSync(folder).filter((name) => name.endsWith('.spec.ts')))('are valid in %s', (name) => {
    expect(parseDirectives(name, readFileSync(new URL(name, folder), 'utf8')).frequency).toBeGreaterThan(0)
  })

  test.each([
    ['an unknown frequency', '// @frequency 7m', '1: @frequency 7m'],
    ['two frequencies', '// @frequency 1h, 2h', '1: @frequency 1h, 2h'],
    ['no frequency', '// @frequency', '1: @frequency'],
    ['an unknown location', '// @locations mars-1', '2: @locations mars-1'],
    ['an empty location', '// @locations eu-west-1,', '2: @locations eu-west-1,'],
    ['a location twice', '// @locations eu-west-1, eu-west-1', '2: @locations eu-west-1, eu-west-1'],
    ['an invalid tag', '// @tags Not A Tag', '4: @tags Not A Tag'],
  ])('refuse %s and name the line', (_, line, wrong) => {
    const name = /@(\w+)/.exec(line)?.[1] ?? ''
    expect(problemsIn(...good.map((known) => (known.includes(`@${name}`) ? line : known)))).toEqual([wrong])
  })

  test('are required, unique, known, and placed before the code', () => {
    expect(problemsIn(...good.slice(1))).toEqual(['1: @frequency is missing.'])
    expect(problemsIn(...good.slice(0, 4), '// @tags again', "import 'x'")).toEqual(['5: @tags appears twice.'])
    expect(problemsIn('// @frequencyy 1h', ...good)).toEqual(['1: @frequencyy is not a directive.'])
    expect(problemsIn(...good, '// @alerts late')).toEqual(['6: @alerts is after the first line of code.'])
    expect(problemsIn(...good, '// @ts-expect-error: not ours')).toEqual([])
  })

  test('are all checked at once', () => {
    expect(problemsIn('// @frequency 7m', '// @oops', "import 'x'")).toEqual([
      '1: @frequency 7m',
      '2: @oops is not a directive.',
      '1: @locations is missing.',
      '1: @alerts is missing.',
      '1: @tags is missing.',
    ])
  })
})
