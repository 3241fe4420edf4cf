import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const folders = ['packages/languages/src/fr']
const root = new URL('../../../../../', import.meta.url)

/** French text of a source line: the content of its literals, without expressions. */
const textsOf = (line: string): string[] =>
  [...line.matchAll(/'((?:\\.|[^'\\])*)'|`((?:\\.|[^`\\])*)`/g)].map(([, quoted, template]) =>
    (quoted ?? template ?? '').replace(/\$\{[^}]*(\}|$)/g, ''),
  )

test.each(folders)('French has no ordinary space before a double sign of punctuation in %s', async (folder) => {
  const names = (await readdir(new URL(folder, root))).filter((name) => name.endsWith('.ts'))
  const wrong: string[] = []
  for (const name of names) {
    const lines = (await readFile(new URL(`${folder}/${name}`, root), 'utf8')).split('\n')
    for (const [index, line] of lines.entries())
      for (const text of textsOf(line))
        if (/[\p{L}\d)»] [?!;»]|\p{L} :(?:\s|$)|« /u.test(text)) wrong.push(`${name}:${index + 1} ${text}`)
  }
  expect(wrong).toEqual([])
})
