import { type Locale, textIn } from '#app/text.ts'

const createFormat = (locale: Locale) =>
  new Intl.DateTimeFormat(textIn(locale).moments.intl, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** Made once: each costs as much as a small page. */
const formats: Partial<Record<Locale, Intl.DateTimeFormat>> = {}

/** A moment in UTC, for a page without JavaScript. `Moment` shows it in the person's zone. */
export function momentText(moment: Date, locale: Locale): { iso: string; words: string } {
  formats[locale] ??= createFormat(locale)
  return { iso: moment.toISOString(), words: `${formats[locale].format(moment)} UTC` }
}
