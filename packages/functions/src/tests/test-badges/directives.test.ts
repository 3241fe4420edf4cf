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

/** What is wrong with these lines: `line text`. */
function wrongIn(...lines: string[]): string[] {
  try {
    parseDirectives('features/x.spec.ts', lines.join('\n'))
    return []
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return error.problems.map(({ what }) => what.replace('features/x.spec.ts:', ''))
  }
}

describe('the directives of a feature file', () => {
  test('say how the monitoring service is to run it', () => {
    expect(parseDirectives('features/x.spec.ts', good.join('\r\n'))).toEqual({
      frequency: 10,
      locations: ['eu-west-1', 'us-east-1'],
      alerts: ['oncall'],
      tags: ['sign-in', 'critical'],
    })
  })

  const folder = new URL('../../../../../features/', import.meta.url)
  test.each(readdirSync(folder).filter((name) => name.endsWith('.spec.ts')))('are right in %s', (name) => {
    expect(parseDirectives(name, readFileSync(new URL(name, folder), 'utf8')).frequency).toBeGreaterThan(0)
  })

  test.each([
    ['an unknown frequency', '// @frequency 7m', '1: @frequency 7m'],
    ['two frequencies', '// @frequency 1h, 2h', '1: @frequency 1h, 2h'],
    ['no frequency', '// @frequency', '1: @frequency'],
    ['an unknown location', '// @locations mars-1', '2: @locations mars-1'],
    ['an empty location', '// @locations eu-west-1,', '2: @locations eu-west-1,'],
    ['a location twice', '// @locations eu-west-1, eu-west-1', '2: @locations eu-west-1, eu-west-1'],
    ['a tag that is none', '// @tags Not A Tag', '4: @tags Not A Tag'],
  ])('with %s are refused, with the line', (_, line, wrong) => {
    const name = /@(\w+)/.exec(line)?.[1] ?? ''
    expect(wrongIn(...good.map((known) => (known.includes(`@${name}`) ? line : known)))).toEqual([wrong])
  })

  test('are all there, each once, known, and before the code', () => {
    expect(wrongIn(...good.slice(1))).toEqual(['1: @frequency is missing.'])
    expect(wrongIn(...good.slice(0, 4), '// @tags again', "import 'x'")).toEqual(['5: @tags appears twice.'])
    expect(wrongIn('// @frequencyy 1h', ...good)).toEqual(['1: @frequencyy is not a directive.'])
    expect(wrongIn(...good, '// @alerts late')).toEqual(['6: @alerts is after the first line of code.'])
    expect(wrongIn(...good, '// @ts-expect-error: not ours')).toEqual([])
  })

  test('are all judged at once', () => {
    expect(wrongIn('// @frequency 7m', '// @oops', "import 'x'")).toEqual([
      '1: @frequency 7m',
      '2: @oops is not a directive.',
      '1: @locations is missing.',
      '1: @alerts is missing.',
      '1: @tags is missing.',
    ])
  })
})
