export function formatRecord(row: object, indent = ''): string {
  const entries = Object.entries(row)
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  return entries
    .map(([name, value]) => {
      if (!isNested(value)) return `${indent}${name.padEnd(width)}  ${formatValue(value)}`
      const inner = Array.isArray(value)
        ? value.map((item) => `${indent}  ${formatValue(item)}`).join('\n')
        : formatRecord(value, `${indent}  `)
      return `${indent}${name}\n${inner}`
    })
    .join('\n')
}

export function formatTable<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  none: string,
): string {
  if (rows.length === 0) return none
  const lines = [columns as readonly string[], ...rows.map((row) => columns.map((column) => formatValue(row[column])))]
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

function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return '-'
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, item]) => `${name}=${formatValue(item)}`)
      .join(' ')
  return printable(String(value))
}

/** Replaces control characters: user input must not move the terminal's cursor. */
export const printable = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')
