import { setImmediate as nextTurn } from 'node:timers/promises'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import PQueue from 'p-queue'
import { AppError } from '../kernel/errors.ts'
import { type FieldProblem, fieldProblems } from '../kernel/field-problems.ts'
import { policy } from '../kernel/policy.ts'
import { sortWords, type WordList, wordMatcher } from './word-matcher.ts'

/** Fewer guesses than this (zxcvbn's score 0 and 1) and an online attacker who is throttled still gets there. */
const weakestScore = 2

// The estimate's cost grows with the square of the length (two seconds for 128 characters); what is weak after 24 is weak.
const judgedLength = 24

/** More of them make no difference to a person, and each is looked for in the password. */
const mostOwnWords = 16

type Estimator = { words: WordList; options: ConstructorParameters<typeof ZxcvbnFactory>[0] }

let estimator: Promise<Estimator> | undefined

/** One judgement for each turn of the event loop: other requests are served between those of a batch. */
const judgements = new PQueue({ concurrency: 1 })

/**
 * Why a password is easy to guess, or null when it is not. Common passwords, names, words in English and French,
 * dates, keyboard runs, and `ownWords`: whatever an attacker knows of the person. Works offline; never leaves the process.
 */
export async function easilyGuessed(password: string, ownWords: readonly string[]): Promise<FieldProblem | null> {
  // The dictionaries take megabytes: a process that never checks a password never loads them.
  estimator ??= loadEstimator().catch((error: unknown) => {
    // The next one tries again: a rejection that is kept would refuse every password from now on.
    estimator = undefined
    throw error
  })
  const loaded = await estimator
  if (judgements.size >= policy.passwordQueueLength) throw new AppError('SERVICE_BUSY', { retryAfter: 1 })
  return judgements.add(async () => {
    await nextTurn()
    return judge(loaded, password.slice(0, judgedLength), ownWords)
  })
}

function judge({ words, options }: Estimator, password: string, ownWords: readonly string[]): FieldProblem | null {
  const own = ownWords
    .filter((word) => word.length > 2)
    .slice(0, mostOwnWords)
    .map((word) => word.slice(0, judgedLength).toLowerCase())
  const lists = [words, sortWords({ userInputs: own })]
  const { score, feedback } = new ZxcvbnFactory(options, { words: wordMatcher(lists) }).check(password)
  if (score >= weakestScore) return null
  return feedback.warning && feedback.warning in fieldProblems ? (feedback.warning as FieldProblem) : 'easyToGuess'
}

async function loadEstimator(): Promise<Estimator> {
  const { dictionary, graphs, translations } = await import('./password-dictionaries.ts')
  return {
    words: sortWords(dictionary),
    options: {
      graphs,
      // zxcvbn's own matcher of substitutions has no dictionary here, and would try a hundred of them.
      l33tMaxSubstitutions: 0,
      // Each warning is named, not worded: `fieldProblems` has the words.
      translations: { ...translations, warnings: namesOf(translations.warnings) },
    },
  }
}

const namesOf = <Words extends object>(words: Words) =>
  Object.fromEntries(Object.keys(words).map((name) => [name, name])) as { [Name in keyof Words]: string }
