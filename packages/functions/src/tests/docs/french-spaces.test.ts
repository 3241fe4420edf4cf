import { readdir, readFile } from 'node:fs/promises'
import { mailNames, renderSamples } from '@floorpass/email'
import { describe, expect, test } from 'vitest'

const folder = new URL('../../../../languages/src/fr/', import.meta.url)
const names = (await readdir(folder)).filter((name) => name.endsWith('.ts'))

/** French text of a source line: the content of its literals; an expression becomes a word. */
const textsOf = (line: string): string[] =>
  [...line.matchAll(/'((?:\\.|[^'\\])*)'|`((?:\\.|[^`\\])*)`/g)].map(([, quoted, template]) =>
    (quoted ?? template ?? '')
      .replace(/\$\{[^}]*(\}|$)/g, 'mot')
      .replace(/\\u([\da-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  )

const wrongMarks = [
  // A space that may break the line, or none: before ? ! ; a narrow no-break one, before : a no-break one.
  /(?<!\u202f)[?!;]/u,
  /(?<!\u00a0):(?!\/\/|\d)/u,
  /«(?![\u00a0\u202f])|(?<![\u00a0\u202f])»/u,
  // A line breaks after an ordinary hyphen.
  /\be-mail/iu,
]
const findWrongMark = (text: string) => wrongMarks.find((pattern) => pattern.test(text))

describe('French lines never break before a mark or inside “e‑mail”', () => {
  test.each(names)('in %s', async (name) => {
    const lines = (await readFile(new URL(name, folder), 'utf8')).split('\n')
    const texts = lines.flatMap((line, index) =>
      /^import |^export .* from /.test(line) ? [] : textsOf(line).map((text) => [index + 1, text] as const),
    )
    expect(texts.filter(([, text]) => findWrongMark(text))).toEqual([])
  })

  test.each(mailNames)('in the email %s', (name) => {
    const context = { locale: 'fr', appName: 'Floorpass', baseUrl: 'https://accounts.example.com', name: 'Ada' } as const
    for (const { subject, text, html } of renderSamples(name, context)) {
      const words = html.slice(html.indexOf('<title>')).replace(/<style>[\s\S]*?<\/style>|<[^>]+>|&[#\w]+;/g, '\n')
      const lines = `${subject}\n${text}\n${words}`.split('\n').filter((line) => !line.startsWith('https://'))
      expect(lines.filter(findWrongMark)).toEqual([])
    }
  })

  test.each([
    'Vraiment ?',
    'Vraiment?',
    'Vraiment\u00a0?',
    'Codes :',
    'Codes:',
    '« oui\u00a0»',
    '«\u00a0oui »',
    'un e-mail',
    'E-mail',
  ])('and finds the mark in %j', (text) => expect(findWrongMark(text)).toBeDefined())
})
