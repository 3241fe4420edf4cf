import type { Result } from './row.ts'

const columns = [
  { title: 'Attack', width: 34 },
  { title: 'Tried', width: 44 },
  { title: 'Tries', width: 5 },
  { title: 'Refused by', width: 42 },
  { title: 'Result', width: 6 },
]

/** Breaks a text into lines of at most this width. */
function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}

function formatRow(cells: readonly (readonly string[])[]): string[] {
  const height = Math.max(...cells.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) =>
    columns
      .map(({ width }, column) => (cells[column]?.[line] ?? '').padEnd(width))
      .join('  ')
      .trimEnd(),
  )
}

/** Each attack, what was tried, what refused it, and the holes. */
export function formatTable(results: readonly Result[]): string {
  const rule = columns.map(({ width }) => '-'.repeat(width)).join('  ')
  const head = [...formatRow(columns.map(({ title }) => [title])), rule]
  const rows = results.flatMap(({ attack, tried, tries, refusedBy, holes }) => {
    const by = Object.entries(refusedBy).map(([what, count]) => `${what} × ${count}`)
    const texts = [attack, tried, String(tries), null, holes.length === 0 ? 'HELD' : 'BROKEN']
    const cells = texts.map((text, index) => (text === null ? by : wrap(text, columns[index]?.width ?? 0)))
    return [...formatRow(cells), ...holes.slice(0, 20).map((hole) => `  BROKEN ${hole}`), '']
  })
  return [...head, ...rows].join('\n').trimEnd()
}
