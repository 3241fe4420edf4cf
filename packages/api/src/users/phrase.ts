import type { User } from '@floorpass/db'
import type { Context } from '../context.ts'

type Phrased = Pick<User, 'id' | 'phraseSealed'>

export const sealPhrase = ({ secretBox }: Pick<Context, 'secretBox'>, userId: string, phrase: string): string =>
  secretBox.seal(phrase, ['users.phrase_sealed', userId])

/** The user's own words. Null without a phrase, or when AUTH_SECRET no longer opens it: mails leave even so. */
export function openPhrase({ secretBox, log }: Pick<Context, 'secretBox' | 'log'>, { id, phraseSealed }: Phrased): string | null {
  if (phraseSealed === null) return null
  try {
    return secretBox.open(phraseSealed, ['users.phrase_sealed', id])
  } catch (err) {
    log.warn({ err, userId: id }, 'phrase cannot be opened')
    return null
  }
}
