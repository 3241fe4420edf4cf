import { replaceBadges } from '@floorpass/badges'
import { describe, expect, test } from 'vitest'

const badges = [
  '![Frontend tests: new](https://img.shields.io/badge/f-new-red)',
  '![Backend tests: new](https://img.shields.io/badge/b-new-red)',
]
const block = ['<!-- badges:begin (written by npm run test:badges) -->', ...badges, '<!-- badges:end -->'].join('\n')
const old = ['<!-- badges:begin -->', 'whatever stood here', '', '<!-- badges:end -->'].join('\n')

describe('the section "Statut des Tests"', () => {
  test.each([
    ['is appended when it is missing', '# A\n\ntext\n', `# A\n\ntext\n\n## Statut des Tests\n\n${block}\n`],
    ['is appended to a file without a last newline', '# A', `# A\n\n## Statut des Tests\n\n${block}\n`],
    ['is the whole of an empty file', '', `## Statut des Tests\n\n${block}\n`],
    [
      'is rewritten in place',
      `# A\n\n## Statut des Tests\n\n${old}\n\n## B\n`,
      `# A\n\n## Statut des Tests\n\n${block}\n\n## B\n`,
    ],
    [
      'keeps the text around the badges',
      `## Statut des Tests\nbefore\n${old}\nafter\n# B`,
      `## Statut des Tests\nbefore\n${block}\nafter\n# B`,
    ],
    ['gets badges when it has none', '## Statut des Tests\n\n## B\n', `## Statut des Tests\n\n${block}\n\n## B\n`],
    ['gets badges before its own text', '## Statut des Tests\ntext\n', `## Statut des Tests\n\n${block}\n\ntext\n`],
    [
      'takes the place of badges that stood there without marks',
      '### Statut des Tests\n\n![a](https://img.shields.io/badge/a-b-red)\n[![b](https://img.shields.io/badge/a-b-red)](https://x.test)\n\ntext\n',
      `### Statut des Tests\n\n${block}\n\ntext\n`,
    ],
    [
      'may be of any rank and end in hashes',
      `#### statut des tests ####\n${old}\n##### deeper\n`,
      `#### statut des tests ####\n${block}\n##### deeper\n`,
    ],
    [
      'is not one inside fenced code',
      '```md\n## Statut des Tests\n```\n~~~~\n## Statut des Tests\n~~~\n~~~~\n',
      `\`\`\`md\n## Statut des Tests\n\`\`\`\n~~~~\n## Statut des Tests\n~~~\n~~~~\n\n## Statut des Tests\n\n${block}\n`,
    ],
    [
      'leaves marks in other sections alone',
      `## A\n${old}\n## Statut des Tests\n${old}\n`,
      `## A\n${old}\n## Statut des Tests\n${block}\n`,
    ],
  ])('%s', (_, before, after) => {
    expect(replaceBadges(before, badges)).toBe(after)
    expect(replaceBadges(after, badges)).toBe(after)
  })

  test('keeps the line endings of the file', () => {
    const after = replaceBadges('# A\r\n\r\ntext\r\n', badges)
    expect(after).toBe(`# A\n\ntext\n\n## Statut des Tests\n\n${block}\n`.replaceAll('\n', '\r\n'))
    expect(replaceBadges(after ?? '', badges)).toBe(after)
  })

  test.each([
    ['LF with one CRLF', '\n', /A$/],
    ['LF with a CRLF after the heading', '\n', /^## Statut des Tests$/],
    ['CRLF with an LF after the heading', '\r\n', /^## Statut des Tests$/],
    ['CRLF with an LF after the mark', '\r\n', /begin/],
  ])('is found in a file of %s, and the other lines stay unchanged', (_, newline, odd) => {
    const other = newline === '\n' ? '\r\n' : '\n'
    const file = (section: string) =>
      `# A\n\n## Statut des Tests\n\n${section}\n\n## B\n\ntext\n`
        .split('\n')
        .map((line, index, all) => line + (index === all.length - 1 ? '' : odd.test(line) && section === old ? other : newline))
        .join('')
    const before = file(old)
    const after = replaceBadges(before, badges) ?? ''
    expect(after.match(/Statut des Tests/g)).toHaveLength(1)
    expect(after).toContain(`${newline}${badges.join(newline)}${newline}`)
    expect(after.replaceAll('\r', '')).toBe(file(block).replaceAll('\r', ''))
    const heads = (text: string) => text.slice(0, text.indexOf('<!--'))
    expect(heads(after)).toBe(heads(before))
    expect(replaceBadges(after, badges)).toBe(after)
  })

  test.each(['<!-- badges:begin -->', '<!-- badges:end -->', '<!-- badges:end -->\n<!-- badges:begin -->', `${old}\n${old}`])(
    'is left unchanged with the marks %j',
    (marks) => {
      expect(replaceBadges(`## Statut des Tests\n${marks}\n`, badges)).toBeNull()
    },
  )
})
