import type { Language } from './language.ts'
import { type Locale, locales } from './locales.ts'

const load = async (locale: Locale): Promise<[Locale, Language]> => [locale, await import(`./${locale}/index.ts`)]

const folders = new Map(await Promise.all(locales.map(load)))

/** All texts of a language. For servers: it loads every language. */
export const textsIn = (locale: Locale): Language => folders.get(locale) as Language
