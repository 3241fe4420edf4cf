import { type DictionaryMatch, type L33tMatch, type Matcher, MatcherBaseClass } from '@zxcvbn-ts/core'

/** Sorted, so that words with the same prefix are neighbors. */
export type WordList = { words: readonly string[]; entryAt(index: number): { rank: number; dictionaryName: string } }

type Substitution = L33tMatch['subs'][number]

export function createWordList(dictionaries: Record<string, readonly (string | number)[]>): WordList {
  const names = Object.keys(dictionaries)
  // Encode rank and dictionary in one number: 100,000 objects would take 7 MB.
  const codes = new Map<string, number>()
  for (const [index, name] of names.entries())
    for (const [rank, word] of dictionaries[name]?.entries() ?? []) {
      const code = (rank + 1) * names.length + index
      if (code < (codes.get(String(word)) ?? Infinity)) codes.set(String(word), code)
    }
  const words = [...codes.keys()].sort()
  const sortedCodes = Uint32Array.from(words, (word) => codes.get(word) ?? 0)
  return {
    words,
    entryAt(index) {
      const code = sortedCodes[index] ?? 0
      return { rank: Math.floor(code / names.length), dictionaryName: names[code % names.length] ?? '' }
    },
  }
}

/** Searches by prefix: an attacker could make zxcvbn's own matchers try a hundred spellings (ADR 028). */
export function createWordMatcher(lists: readonly WordList[]): Matcher {
  class WordMatcher extends MatcherBaseClass {
    match({ password }: { password: string }): DictionaryMatch[] {
      const substitutions = Object.entries(this.options.l33tTable).flatMap(([letter, spellings]) =>
        spellings.map((substitution): Substitution => ({ letter, substitution })),
      )
      const found = lists.flatMap((list) => [...findWords(password, list, substitutions), ...findReversedWords(password, list)])
      return keepLikeliest(found)
    }
  }
  return { Matching: WordMatcher, scoring: () => 0, feedback: () => null }
}

function findWords(password: string, list: WordList, substitutions: readonly Substitution[]): DictionaryMatch[] {
  const { words, entryAt } = list
  const matches: DictionaryMatch[] = []
  // `İ` becomes two characters in lower case.
  const text = password.toLowerCase().slice(0, password.length)
  for (let i = 0; i < text.length; i += 1) {
    // The words from `first` to `end` share the `length` letters that the text from `i` to `j` spells.
    const extendMatch = (j: number, first: number, end: number, length: number, subs: readonly Substitution[]): void => {
      const word = words[first] ?? ''
      if (length > 0 && word.length === length && (subs.length === 0 || j - i > 1)) {
        const token = password.slice(i, j)
        const isL33t = { l33t: subs.length > 0, subs: [...new Set(subs)] }
        matches.push({
          pattern: 'dictionary',
          i,
          j: j - 1,
          token,
          matchedWord: word,
          ...entryAt(first),
          reversed: false,
          ...isL33t,
        })
      }
      const extendByLetter = (letter: string, width: number, used: readonly Substitution[]) => {
        const code = letter.charCodeAt(0)
        const from = findFirstIndex(words, first, end, length, code)
        const to = findFirstIndex(words, from, end, length, code + 1)
        if (from < to) extendMatch(j + width, from, to, length + 1, used)
      }
      if (j < text.length) extendByLetter(text.charAt(j), 1, subs)
      for (const sub of substitutions)
        if (text.startsWith(sub.substitution, j)) extendByLetter(sub.letter, sub.substitution.length, [...subs, sub])
    }
    extendMatch(i, 0, words.length, 0, [])
  }
  return matches
}

function findReversedWords(password: string, list: WordList): DictionaryMatch[] {
  const last = password.length - 1
  const backwards = password.split('').reverse().join('')
  return findWords(backwards, list, []).map((match) => {
    const [i, j] = [last - match.j, last - match.i]
    return { ...match, i, j, token: password.slice(i, j + 1), reversed: true }
  })
}

/** Shorter words sort first. */
function findFirstIndex(words: readonly string[], first: number, end: number, position: number, code: number): number {
  let [low, high] = [first, end]
  while (low < high) {
    const middle = (low + high) >>> 1
    const word = words[middle] ?? ''
    if (position < word.length && word.charCodeAt(position) >= code) high = middle
    else low = middle + 1
  }
  return low
}

function keepLikeliest(matches: readonly DictionaryMatch[]): DictionaryMatch[] {
  const likeliest = new Map<string, DictionaryMatch>()
  for (const match of matches) {
    const span = `${match.i} ${match.j}`
    const other = likeliest.get(span)
    if (!other || estimateGuesses(match) < estimateGuesses(other)) likeliest.set(span, match)
  }
  return [...likeliest.values()]
}

const estimateGuesses = ({ rank, reversed, subs }: DictionaryMatch): number =>
  rank * 2 ** ((subs as unknown[]).length + Number(reversed))
