/** Writes a CSV file (RFC 4180). */
export const toCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map((cell) => quote(disarm(cell))).join(',')}\r\n`).join('')

/** Spreadsheets run a cell that begins like this as a formula. Where a comma separates decimals, they also split cells at semicolons. */
const disarm = (cell: string): string => cell.replace(/(^|[;\t\r\n])(?=[\s"]*[=+\-@＝＋－＠])/g, "$1'")

const quote = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
