import type { PageText } from './language.ts'
import type { Locale } from './locales.ts'

/** What a page loads of the texts: the sign-in page must be light, so it loads `pages` alone. */
export type TextPart = 'pages' | 'app' | 'mailed' | 'administration'

// One import for each part, so that a browser gets a file for each part of each language.
const parts: Record<TextPart, (locale: Locale) => Promise<Partial<Record<TextPart, Partial<PageText>>>>> = {
  pages: (locale) => import(`./${locale}/pages.ts`),
  app: (locale) => import(`./${locale}/app.ts`),
  mailed: (locale) => import(`./${locale}/mailed.ts`),
  administration: (locale) => import(`./${locale}/administration.ts`),
}

export const loadPageText = async (locale: Locale, part: TextPart): Promise<Partial<PageText> | undefined> =>
  (await parts[part](locale))[part]
