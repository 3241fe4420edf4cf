import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Outcome, Scenario } from './scenario.ts'

export type Row = { scenario: Scenario; seconds: number; outcome: Outcome }

const page = fileURLToPath(new URL('../../../docs/reliability.md', import.meta.url))

/** Writes each scenario's figures between its two comments in docs/reliability.md. */
export async function writeReport(rows: readonly Row[], run: { machine: string; commit: string }): Promise<void> {
  let text = await readFile(page, 'utf8')
  for (const row of rows) text = replaceBlock(text, row.scenario.name, formatSection(row, run))
  await writeFile(page, text)
}

/** Replaces the block with this name, or adds it after the last one. Idempotent. */
export function replaceBlock(text: string, name: string, body: string): string {
  const [start, end] = [`<!-- figures:${name} -->`, `<!-- /figures:${name} -->`]
  const block = `${start}\n${body}\n${end}`
  const from = text.indexOf(start)
  const to = text.indexOf(end)
  if (from >= 0 && to > from) return text.slice(0, from) + block + text.slice(to + end.length)
  const last = text.lastIndexOf('<!-- /figures:')
  const at = last >= 0 ? text.indexOf('-->', last) + 3 : text.trimEnd().length
  return `${text.slice(0, at)}\n\n${block}${text.slice(at)}`
}

function formatSection({ scenario, seconds, outcome }: Row, { machine, commit }: { machine: string; commit: string }): string {
  const { load, faults, requests, lost, recovery, problems } = outcome
  const figures = [
    ['Load held', load],
    ['Faults', faults],
    ['Requests', String(requests)],
    ['Lost', lost],
    ['Recovery', recovery],
    ['Result', problems.length === 0 ? 'held' : `failed: ${problems.slice(0, 5).join('; ')}`],
    ['Measured', `${new Date().toISOString().slice(0, 10)}, ${seconds} s, ${machine}, commit ${commit}`],
    ['Again', `\`npm run reliability -- --only ${scenario.name}\``],
  ]
  const lines = figures.map(([what, value = '']) => `| ${what} | ${value.replaceAll('|', '\\|').replaceAll('\n', ' ')} |`)
  return [`### ${scenario.name}`, '', scenario.promise, '', '| | |', '|---|---|', ...lines].join('\n')
}
