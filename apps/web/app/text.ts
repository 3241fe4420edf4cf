import { createContext, useContext } from 'react'
import type { en as enApp } from '#app/text/en.app.ts'
import type { en } from '#app/text/en.ts'

export type Locale = 'en' | 'fr'

/** Everything that pages say, in one language. The other one must have the same shape: a missing sentence is a type error. */
export type Text = typeof en & typeof enApp

const catalogues = {
  en: { auth: async () => (await import('#app/text/en.ts')).en, app: async () => (await import('#app/text/en.app.ts')).en },
  fr: { auth: async () => (await import('#app/text/fr.ts')).fr, app: async () => (await import('#app/text/fr.app.ts')).fr },
}

const loaded = new Map<Locale, Partial<Text>>()

/** Loads a part of the texts before anything is drawn. The sign-in page must be light, so it does not load the 'app' part. */
export async function loadText(locale: Locale, part: 'auth' | 'app'): Promise<void> {
  const text = await catalogues[locale][part]()
  loaded.set(locale, { ...loaded.get(locale), ...text })
}

/** The language of the document, in a browser. */
export const documentLocale = (): Locale => (document.documentElement.dataset.locale === 'fr' ? 'fr' : 'en')

/** The catalogue of that language; in the browser, which has only one, that one. */
export const textIn = (locale: Locale): Text => (loaded.get(locale) ?? loaded.values().next().value) as Text

/** The language of the document. It never changes: another language is another document. */
export const LocaleContext = createContext<Locale>('en')

/** What one page, or one component, says. */
export const useText = <Section extends keyof Text>(section: Section): Text[Section] => textIn(useContext(LocaleContext))[section]
