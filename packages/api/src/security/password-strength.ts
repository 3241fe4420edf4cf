import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { type FieldProblem, fieldProblems } from '../field-problems.ts'

/** Fewer guesses than this (zxcvbn's score 0 and 1) and an online attacker who is throttled still gets there. */
const weakestScore = 2

// The estimate's cost grows with the square of the length (two seconds for 128 characters); what is weak after 24 is weak.
const judgedLength = 24

let estimator: Promise<ZxcvbnFactory> | undefined

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
  const judged = password.slice(0, judgedLength)
  const { score, feedback } = (await estimator).check(
    judged,
    ownWords.filter((word) => word.length > 2).map((word) => word.slice(0, judgedLength)),
  )
  if (score >= weakestScore) return null
  return feedback.warning && feedback.warning in fieldProblems ? (feedback.warning as FieldProblem) : 'easyToGuess'
}

async function loadEstimator(): Promise<ZxcvbnFactory> {
  const { dictionary, graphs, translations } = await import('./password-dictionaries.ts')
  return new ZxcvbnFactory({
    dictionary,
    graphs,
    // Each warning is named, not worded: `fieldProblems` has the words.
    translations: { ...translations, warnings: namesOf(translations.warnings) },
  })
}

const namesOf = <Words extends object>(words: Words) =>
  Object.fromEntries(Object.keys(words).map((name) => [name, name])) as { [Name in keyof Words]: string }
