import { defaultLocale, findLocale, type Locale } from '@floorpass/languages/locales'

export { defaultLocale, findLocale, type Locale, locales } from '@floorpass/languages/locales'

/** The language of a row: English, when this version does not have the stored one. */
export const toLocale = (stored: string): Locale => findLocale(stored) ?? defaultLocale
