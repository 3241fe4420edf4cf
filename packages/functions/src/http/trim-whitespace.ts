/** Removes HTTP's whitespace: spaces and tabs (RFC 9110 5.6.3). `String.trim` also removes U+00A0, which could turn one name into another. */
export function trimWhitespace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpaceOrTab(text, start)) start += 1
  while (end > start && isSpaceOrTab(text, end - 1)) end -= 1
  return text.slice(start, end)
}

const isSpaceOrTab = (text: string, at: number): boolean => text[at] === ' ' || text[at] === '\t'
