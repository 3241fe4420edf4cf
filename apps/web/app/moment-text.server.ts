import type { MomentWords } from '#app/components/moment.tsx'
import { type Locale, textIn } from '#app/text.ts'

const createFormat = (locale: Locale) =>
  new Intl.DateTimeFormat(textIn(locale).moments.intl, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** Made once: each costs as much as a small page. */
const formats: Partial<Record<Locale, Intl.DateTimeFormat>> = {}

/** `Moment` shows it in the person's zone. */
export function momentText(moment: Date, locale: Locale): MomentWords {
  formats[locale] ??= createFormat(locale)
  return { iso: moment.toISOString(), words: `${formats[locale].format(moment)} UTC` }
}
