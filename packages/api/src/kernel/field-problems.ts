/** In code points, after NFC. */
export const passwordLength = { min: 8, max: 128 } as const

export const fieldLengths = { email: 254, emailLocalPart: 64, name: 100, slug: 64 } as const

/** Problem → the sentence in responses. Pages translate by the problem's name. */
export const fieldProblems = {
  emailInvalid: 'Invalid email address',
  emailTooLong: `Too long: at most ${fieldLengths.email} characters`,
  emailLocalPartTooLong: `Too long: at most ${fieldLengths.emailLocalPart} characters before the @`,
  passwordMissing: 'Enter a password',
  passwordTooShort: `Use at least ${passwordLength.min} characters`,
  passwordTooLong: `Use at most ${passwordLength.max} characters`,
  tooLong: 'Too long',
  nameMissing: 'Enter a name',
  nameTooLong: `Too long: at most ${fieldLengths.name} characters`,
  nameInvisibleCharacters: 'Enter a name without invisible characters',
  nameInvisible: 'Enter a name with visible characters',
  nameWithoutLetter: 'Use a letter or a digit',
  slugMissing: 'Enter a short name',
  slugTooLong: `Too long: at most ${fieldLengths.slug} characters`,
  slugForm: 'Use letters a to z, digits and dashes between them',
  slugReserved: 'This short name is reserved',
  kindForm: 'Use 1 to 32 small letters a to z, digits and dashes',
  addressMissing: 'Enter an address',
  addressCharacters: 'Use visible characters and plain spaces only',
  codeMissing: 'Enter a code',
  passwordOrCodeMissing: 'Enter your password or a code',
  straightRow: 'Straight rows of keys on your keyboard are easy to guess.',
  keyPattern: 'Short keyboard patterns are easy to guess.',
  simpleRepeat: 'Repeated characters like "aaa" are easy to guess.',
  extendedRepeat: 'Repeated character patterns like "abcabcabc" are easy to guess.',
  sequences: 'Common character sequences like "abc" are easy to guess.',
  recentYears: 'Recent years are easy to guess.',
  dates: 'Dates are easy to guess.',
  topTen: 'This is one of the most used passwords in the world.',
  topHundred: 'Very many people use this password.',
  common: 'Many people use this password.',
  similarToCommon: 'This resembles a password that many people use.',
  namesByThemselves: 'A name by itself is easy to guess.',
  commonNames: 'Common names are easy to guess.',
  userInputs: 'Leave out anything about you or this service, such as your name or email.',
  easyToGuess: 'This is easy to guess: add a word or two that have nothing to do with you',
} as const

export type FieldProblem = keyof typeof fieldProblems

/** `other`: a value of the wrong type or form, which our own pages never send. */
export type FieldFailure = { problem: FieldProblem | 'other'; sentence: string }

export const fieldFailure = (problem: FieldProblem): FieldFailure => ({ problem, sentence: fieldProblems[problem] })

/** Contracts give a problem's name as the message of a check. Other messages are sentences of the validator. */
export const toFieldFailure = (message: string): FieldFailure =>
  isFieldProblem(message) ? fieldFailure(message) : { problem: 'other', sentence: message }

const isFieldProblem = (message: string): message is FieldProblem => Object.hasOwn(fieldProblems, message)

/** Names a problem in a contract. */
export const problem = (name: FieldProblem): FieldProblem => name
