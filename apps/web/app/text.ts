import { createContext, useContext } from 'react'
import type { en } from '#app/text/en.ts'

export type Locale = 'en' | 'fr'

/** Everything that pages say, in one language. The other one must have the same shape: a missing sentence is a type error. */
export type Text = typeof en

const catalogues: Record<Locale, () => Promise<Text>> = {
  en: async () => (await import('#app/text/en.ts')).en,
  fr: async () => (await import('#app/text/fr.ts')).fr,
}

const loaded = new Map<Locale, Text>()

/** Awaited before anything is drawn: by the server for every language, by the browser for that of the document. */
export async function loadText(locale: Locale): Promise<void> {
  loaded.set(locale, await catalogues[locale]())
}

/** The catalogue of that language; in the browser, which has only one, that one. */
export const textIn = (locale: Locale): Text => (loaded.get(locale) ?? loaded.values().next().value) as Text

/** The language of the document. It never changes: another language is another document. */
export const LocaleContext = createContext<Locale>('en')

/** What one page, or one component, says. */
export const useText = <Section extends keyof Text>(section: Section): Text[Section] => textIn(useContext(LocaleContext))[section]
