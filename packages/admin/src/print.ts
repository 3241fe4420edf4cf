/** One row as lines of `name  value`, nested ones indented. */
export function sheet(row: object, indent = ''): string {
  const entries = Object.entries(row)
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  return entries
    .map(([name, value]) => {
      if (!isNested(value)) return `${indent}${name.padEnd(width)}  ${cell(value)}`
      const inner = Array.isArray(value)
        ? value.map((item) => `${indent}  ${cell(item)}`).join('\n')
        : sheet(value, `${indent}  `)
      return `${indent}${name}\n${inner}`
    })
    .join('\n')
}

/** Rows as a table with these columns; a sentence when there are none. */
export function table<Row extends object>(rows: readonly Row[], columns: readonly (keyof Row & string)[], none: string): string {
  if (rows.length === 0) return none
  const lines = [columns as readonly string[], ...rows.map((row) => columns.map((column) => cell(row[column])))]
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const isNested = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !(Array.isArray(value) && value.length === 0)

function cell(value: unknown): string {
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return '-'
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, item]) => `${name}=${cell(item)}`)
      .join(' ')
  return printable(String(value))
}

/** What people typed must not move a terminal's cursor. */
export const printable = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
