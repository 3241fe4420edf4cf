const title = 'Statut des Tests'
const begin = '<!-- badges:begin (written by npm run test:badges) -->'
const end = '<!-- badges:end -->'
const isBegin = (line: string) => /^<!-- badges:begin\b.*-->$/.test(line.trim())
const isEnd = (line: string) => line.trim() === end
const isBadge = (line: string) => /^\[?!\[[^\]]*\]\(https:\/\/img\.shields\.io\/[^)]*\)(\]\([^)]*\))?$/.test(line.trim())

/** Replaces the badges in the section "Statut des Tests", or appends it. Idempotent. Returns null when its marks do not match. */
export function replaceBadges(markdown: string, badges: readonly string[]): string | null {
  const crlf = markdown.split('\r\n').length - 1
  const newline = crlf * 2 >= markdown.split('\n').length ? '\r\n' : '\n'
  const block = [begin, ...badges, end]
  // Lines keep their carriage return, so mixed line endings do not change.
  const lines = markdown.split('\n')
  const section = findSection(lines)
  if (!section) {
    const kept = markdown === '' || markdown.endsWith('\n') ? markdown : `${markdown}${newline}`
    const gap = kept === '' || /\n\r?\n$/.test(kept) ? '' : newline
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
        ? { from: badgesByHand, count: countBadges(inSection.slice(badgesByHand)), by: block }
        : { from: 0, count: 0, by: inSection[0]?.trim() === '' ? ['', ...block] : ['', ...block, ''] }
  const from = section.start + replaced.from
  const isLast = from + replaced.count === lines.length
  const by = replaced.by.map((line, index) => (isLast && index === replaced.by.length - 1 ? line : line + newline.slice(0, -1)))
  lines.splice(from, replaced.count, ...by)
  return lines.join('\n')
}

const countBadges = (lines: string[]): number => {
  const other = lines.findIndex((line) => !isBadge(line))
  return other < 0 ? lines.length : other
}

/** The lines from the heading to the next heading of its rank or higher. Ignores fenced code. */
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
