import { type Locale, textIn } from '#app/text.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const units = [
  ['year', 365 * day],
  ['month', 30 * day],
  ['day', day],
  ['hour', hour],
  ['minute', minute],
] as const

const createFormats = (locale: Locale) => ({
  relative: new Intl.RelativeTimeFormat(locale),
  now: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second'),
  exact: new Intl.DateTimeFormat(textIn(locale).moments.intl, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }),
})

/** Made once: each costs as much as a small page. */
const formats: Partial<Record<Locale, ReturnType<typeof createFormats>>> = {}

function getFormats(locale: Locale) {
  formats[locale] ??= createFormats(locale)
  return formats[locale]
}

/** In the zone of the person's device, which the words name. For browsers only. */
export const exactWords = (iso: string, locale: Locale): string => getFormats(locale).exact.format(new Date(iso))

/** How long ago that was: "3 minutes ago". A clock that is behind ours reads "now". For browsers only. */
export function relativeWords(iso: string, now: number, locale: Locale): string {
  const seconds = (now - Date.parse(iso)) / 1000
  const unit = units.find(([, length]) => seconds >= length)
  const { relative, now: justNow } = getFormats(locale)
  return unit ? relative.format(-Math.floor(seconds / unit[1]), unit[0]) : justNow
}
