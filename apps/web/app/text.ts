import { defaultLocale, type Locale } from '@floorpass/languages/locales'
import { loadPageText, type TextPart } from '@floorpass/languages/page-texts'
import type { PageText } from '@floorpass/languages/types'
import { createContext, useContext } from 'react'

export type { Locale }
export type Text = PageText

const loaded = new Map<Locale, Partial<Text>>()

/** Loads a part of the texts before anything is drawn. */
export async function loadText(locale: Locale, part: TextPart): Promise<void> {
  const text = await loadPageText(locale, part)
  loaded.set(locale, { ...loaded.get(locale), ...text })
}

/** The language of the document, in a browser. */
export const documentLocale = (): Locale => document.documentElement.dataset.locale as Locale

/** The catalogue of that language; in the browser, which has only one, that one. */
export const textIn = (locale: Locale): Text => (loaded.get(locale) ?? loaded.values().next().value) as Text

/** The language of the document. It never changes: another language is another document. */
export const LocaleContext = createContext<Locale>(defaultLocale)

/** What one page, or one component, says. */
export const useText = <Section extends keyof Text>(section: Section): Text[Section] => textIn(useContext(LocaleContext))[section]
