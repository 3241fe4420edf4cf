const title = 'Statut des Tests'
const begin = '<!-- badges:begin (written by npm run test:badges) -->'
const end = '<!-- badges:end -->'
const isBegin = (line: string) => /^<!-- badges:begin\b.*-->$/.test(line.trim())
const isEnd = (line: string) => line.trim() === end
const isBadge = (line: string) => /^\[?!\[[^\]]*\]\(https:\/\/img\.shields\.io\/[^)]*\)(\]\([^)]*\))?$/.test(line.trim())

/**
 * The Markdown with these badges in its section "Statut des Tests", which is appended when there is none. Nothing else changes,
 * and doing it again changes nothing. Null when the section's marks do not belong together: then a person has to look.
 */
export function replaceBadges(markdown: string, badges: readonly string[]): string | null {
  const newline = markdown.includes('\r\n') ? '\r\n' : '\n'
  const block = [begin, ...badges, end]
  const lines = markdown.split(newline)
  const section = findSection(lines)
  if (!section) {
    const kept = markdown === '' || markdown.endsWith(newline) ? markdown : `${markdown}${newline}`
    const gap = kept === '' || kept.endsWith(newline + newline) ? '' : newline
    return `${kept}${gap}${[`## ${title}`, '', ...block, ''].join(newline)}`
  }

  const inSection = lines.slice(section.start, section.end)
  const [first, last] = [inSection.findIndex(isBegin), inSection.findIndex(isEnd)]
  const marks = inSection.filter((line) => isBegin(line) || isEnd(line)).length
  if (marks > 0 && (marks !== 2 || first < 0 || last < first)) return null
  const badgesByHand = inSection.findIndex(isBadge)
  const replaced =
    marks === 2
      ? { from: first, count: last - first + 1, by: block }
      : badgesByHand >= 0
        ? { from: badgesByHand, count: runOf(inSection.slice(badgesByHand)), by: block }
        : { from: 0, count: 0, by: inSection[0]?.trim() === '' ? ['', ...block] : ['', ...block, ''] }
  lines.splice(section.start + replaced.from, replaced.count, ...replaced.by)
  return lines.join(newline)
}

const runOf = (lines: string[]): number => {
  const other = lines.findIndex((line) => !isBadge(line))
  return other < 0 ? lines.length : other
}

/** The lines between the heading and the next one of its rank. Headings inside fenced code are code. */
function findSection(lines: string[]): { start: number; end: number } | null {
  let fence: string | null = null
  let rank = 0
  let start = -1
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark !== undefined) {
      if (fence === null) fence = mark
      else if (mark.startsWith(fence)) fence = null
      continue
    }
    const heading = fence === null ? /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line) : null
    if (!heading) continue
    const [, hashes = '', text = ''] = heading
    if (start >= 0 && hashes.length <= rank) return { start, end: index }
    if (start < 0 && text.toLowerCase() === title.toLowerCase()) {
      rank = hashes.length
      start = index + 1
    }
  }
  return start < 0 ? null : { start, end: lines.length }
}
