import { type DictionaryMatch, type L33tMatch, type Matcher, MatcherBaseClass } from '@zxcvbn-ts/core'

/** Every word once, sorted: all words that begin alike are neighbours. */
export type WordList = { words: readonly string[]; entryAt(place: number): { rank: number; dictionaryName: string } }

type Substitution = L33tMatch['subs'][number]

/** A word's rank is its place in the dictionary that has it first. */
export function sortWords(dictionaries: Record<string, readonly (string | number)[]>): WordList {
  const names = Object.keys(dictionaries)
  // The rank and the dictionary as one number: a hundred thousand objects would take seven megabytes.
  const codes = new Map<string, number>()
  for (const [index, name] of names.entries())
    for (const [place, word] of dictionaries[name]?.entries() ?? []) {
      const code = (place + 1) * names.length + index
      if (code < (codes.get(String(word)) ?? Infinity)) codes.set(String(word), code)
    }
  const words = [...codes.keys()].sort()
  const sortedCodes = Uint32Array.from(words, (word) => codes.get(word) ?? 0)
  return {
    words,
    entryAt(place) {
      const code = sortedCodes[place] ?? 0
      return { rank: Math.floor(code / names.length), dictionaryName: names[code % names.length] ?? '' }
    },
  }
}

/**
 * Finds the words in a password: forwards, backwards, and with other characters for letters. It reads on only while some word begins
 * that way. zxcvbn's own matchers look up every part of a hundred spellings, and the caller chooses how many there are (ADR 028).
 */
export function wordMatcher(lists: readonly WordList[]): Matcher {
  class WordMatcher extends MatcherBaseClass {
    match({ password }: { password: string }): DictionaryMatch[] {
      const substitutions = Object.entries(this.options.l33tTable).flatMap(([letter, spellings]) =>
        spellings.map((substitution): Substitution => ({ letter, substitution })),
      )
      const found = lists.flatMap((list) => [...findWords(password, list, substitutions), ...findReversedWords(password, list)])
      return likeliestOf(found)
    }
  }
  // zxcvbn scores and describes the matches as those of a dictionary.
  return { Matching: WordMatcher, scoring: () => 0, feedback: () => null }
}

function findWords(password: string, list: WordList, substitutions: readonly Substitution[]): DictionaryMatch[] {
  const { words, entryAt } = list
  const matches: DictionaryMatch[] = []
  // Lower case may be longer: `İ` becomes two characters.
  const text = password.toLowerCase().slice(0, password.length)
  for (let i = 0; i < text.length; i += 1) {
    /** The words from `first` to `end` begin with the `length` letters that the text from `i` to `j` spells. */
    const readOn = (j: number, first: number, end: number, length: number, subs: readonly Substitution[]): void => {
      const word = words[first] ?? ''
      // As in zxcvbn: one character that stands for a one-letter word is noise.
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
      const readLetter = (letter: string, width: number, used: readonly Substitution[]) => {
        const code = letter.charCodeAt(0)
        const from = findPlace(words, first, end, length, code)
        const to = findPlace(words, from, end, length, code + 1)
        if (from < to) readOn(j + width, from, to, length + 1, used)
      }
      if (j < text.length) readLetter(text.charAt(j), 1, subs)
      for (const sub of substitutions)
        if (text.startsWith(sub.substitution, j)) readLetter(sub.letter, sub.substitution.length, [...subs, sub])
    }
    readOn(i, 0, words.length, 0, [])
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

/** The first word whose character at `position` is `code` or above. A word that ends before `position` comes first. */
function findPlace(words: readonly string[], first: number, end: number, position: number, code: number): number {
  let [low, high] = [first, end]
  while (low < high) {
    const middle = (low + high) >>> 1
    const word = words[middle] ?? ''
    if (position < word.length && word.charCodeAt(position) >= code) high = middle
    else low = middle + 1
  }
  return low
}

/** One match for each part of the password: zxcvbn weighs every match against every other. */
function likeliestOf(matches: readonly DictionaryMatch[]): DictionaryMatch[] {
  const likeliest = new Map<string, DictionaryMatch>()
  for (const match of matches) {
    const part = `${match.i} ${match.j}`
    const other = likeliest.get(part)
    if (!other || guessesFor(match) < guessesFor(other)) likeliest.set(part, match)
  }
  return [...likeliest.values()]
}

/** Up to the factor for capitals, which all words in one part share. */
const guessesFor = ({ rank, reversed, subs }: DictionaryMatch): number =>
  rank * 2 ** ((subs as unknown[]).length + Number(reversed))
