const LONGEST_NAME = 48

/** One line of visible text: joiners stay (Persian and Indic names need them), other invisible characters go. */
export function oneLine(text: string) {
  return text
    .normalize('NFKC')
    .replace(/\s+/gu, ' ')
    .replace(/[^\P{C}\u200c\u200d]/gu, '')
    .trim()
}

// Mail programs turn anything that looks like an address into a link, and other users choose their names:
// "evil.com" becomes "evil. com", which no program links and which still reads as what was typed.
export function plainName(name: string) {
  const harmless = oneLine(
    oneLine(name)
      .replace(/[/\\@:|]+/gu, ' ')
      .replace(/([.。])(?=\S)/gu, '$1 '),
  )
  const characters = [...harmless]
  return characters.length > LONGEST_NAME
    ? `${characters
        .slice(0, LONGEST_NAME - 1)
        .join('')
        .trimEnd()}…`
    : harmless
}

/** An address as its owner knows it: the beginning and the end, which people compare. */
export function shortenAddress(address: string) {
  const characters = [...address]
  if (characters.length <= 20) return plainName(address)
  return [characters.slice(0, 8), characters.slice(-8)].map((part) => plainName(part.join(''))).join('…')
}

/** Enough for its owner to recognise, too little for anyone else: ada@example.com becomes a•••@e•••.com. */
export function maskAddress(address: string) {
  const at = address.lastIndexOf('@')
  const [local] = oneLine(address.slice(0, Math.max(at, 0)))
  const domain = oneLine(address.slice(at + 1))
  const [first] = domain
  const ending = domain.slice(domain.lastIndexOf('.'))
  return local && first && ending.startsWith('.') ? `${local}•••@${first}•••${ending}` : '•••'
}
