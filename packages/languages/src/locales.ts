import type { Language } from './language.ts'

/** Declares that a folder is a complete language. Only its name is loaded: browsers import this file. */
const language = <_Folder extends Language>(name: string): string => name

/** The languages of pages and emails, by the name of their folder. A new one is a folder and a line here. */
export const languages = {
  en: language<typeof import('./en/index.ts')>('English'),
  fr: language<typeof import('./fr/index.ts')>('Français'),
}

export type Locale = keyof typeof languages

export const locales = Object.keys(languages) as [Locale, ...Locale[]]

export const defaultLocale: Locale = 'en'

/** The language of that name; undefined when pages and emails do not have it. */
export const findLocale = (name: string | undefined): Locale | undefined => locales.find((locale) => locale === name)
