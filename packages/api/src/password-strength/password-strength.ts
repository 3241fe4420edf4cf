import { setImmediate as nextTurn } from 'node:timers/promises'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import PQueue from 'p-queue'
import { AppError } from '../kernel/errors.ts'
import { type FieldProblem, fieldProblems } from '../kernel/field-problems.ts'
import { policy } from '../kernel/policy.ts'
import { createWordList, createWordMatcher, type WordList } from './word-matcher.ts'

/** A throttled attacker can still guess passwords with zxcvbn score 0 or 1. */
const minScore = 2

// The cost grows with the square of the length: two seconds for 128 characters (ADR 028).
const maxEstimatedLength = 24

const maxOwnWords = 16

type Estimator = { words: WordList; options: ConstructorParameters<typeof ZxcvbnFactory>[0] }

let estimator: Promise<Estimator> | undefined

/** One estimate per turn of the event loop, so that other requests run in between. */
const estimates = new PQueue({ concurrency: 1 })

/** Returns why a password is easy to guess, or null. Throws SERVICE_BUSY. */
export async function easilyGuessed(password: string, ownWords: readonly string[]): Promise<FieldProblem | null> {
  estimator ??= loadEstimator().catch((error: unknown) => {
    // Let the next call retry: a cached rejection would refuse every password.
    estimator = undefined
    throw error
  })
  const loaded = await estimator
  if (estimates.size >= policy.passwordQueueLength) throw new AppError('SERVICE_BUSY', { retryAfter: 1 })
  return estimates.add(async () => {
    await nextTurn()
    return estimate(loaded, password.slice(0, maxEstimatedLength), ownWords)
  })
}

function estimate({ words, options }: Estimator, password: string, ownWords: readonly string[]): FieldProblem | null {
  const own = ownWords
    .filter((word) => word.length > 2)
    .slice(0, maxOwnWords)
    .map((word) => word.slice(0, maxEstimatedLength).toLowerCase())
  const lists = [words, createWordList({ userInputs: own })]
  const { score, feedback } = new ZxcvbnFactory(options, { words: createWordMatcher(lists) }).check(password)
  if (score >= minScore) return null
  return feedback.warning && feedback.warning in fieldProblems ? (feedback.warning as FieldProblem) : 'easyToGuess'
}

async function loadEstimator(): Promise<Estimator> {
  const { dictionary, graphs, translations } = await import('./password-dictionaries.ts')
  return {
    words: createWordList(dictionary),
    options: {
      graphs,
      l33tMaxSubstitutions: 0,
      translations: { ...translations, warnings: mapToNames(translations.warnings) },
    },
  }
}

const mapToNames = <Words extends object>(words: Words) =>
  Object.fromEntries(Object.keys(words).map((name) => [name, name])) as { [Name in keyof Words]: string }
