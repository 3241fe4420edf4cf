import { en, type ServerText } from '#app/text/en.server.ts'
import { fr } from '#app/text/fr.server.ts'
import type { Locale } from '#app/text.ts'

export type { ServerText }

/** What only loaders and actions say, in that language. */
export const serverTextIn = (locale: Locale): ServerText => ({ en, fr })[locale]
