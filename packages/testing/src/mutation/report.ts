import type { Mutant } from './mutants.ts'

const statuses = ['killed', 'timed out', 'survived', 'not decided', 'no coverage', 'not run'] as const
export type Result = Mutant & { status: (typeof statuses)[number]; killedBy: string | null }

/** The score counts a timeout as killed and an undecided mutant as survived, and leaves out what did not run. */
export function summarize(results: Result[]): string {
  const of = (status: Result['status']) => results.filter((result) => result.status === status)
  const noticed = of('killed').length + of('timed out').length
  const ran = results.length - of('not run').length
  const left = results.filter(isLeft).sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line)
  const counts = statuses.map((status) => `${of(status).length} ${status}`).join(', ')
  return [...left.map(describe), '', counts, `score: ${ran === 0 ? 0 : Math.round((noticed / ran) * 100)} % of ${ran}`].join('\n')
}

export function isLeft({ status }: Result): boolean {
  return status === 'survived' || status === 'not decided' || status === 'no coverage'
}

export function describe({ file, line, original, replacement, status }: Result): string {
  const note = status === 'survived' ? '' : ` (${status})`
  return `${file}:${line}${note}\n  - ${oneLine(original)}\n  + ${oneLine(replacement)}`
}

function oneLine(text: string): string {
  const short = text.replaceAll(/\s+/g, ' ')
  return short.length > 200 ? `${short.slice(0, 200)} …` : short
}
