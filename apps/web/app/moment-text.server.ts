import type { Locale } from '#app/text.ts'

const formatIn = (locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

// To make one costs as much as a small page.
const formats = { en: formatIn('en-GB'), fr: formatIn('fr') }

/** A moment in words, made on the server alone: the browser's own tables could word it otherwise and break hydration. In UTC, and says so. */
export function momentText(moment: Date, locale: Locale): { iso: string; words: string } {
  return { iso: moment.toISOString(), words: `${formats[locale].format(moment)} UTC` }
}
