/** The languages that every mail exists in. */
export type MailLocale = 'en' | 'fr'

/** What every mail needs. `name` is the person's own: it is made harmless before it is shown, and may be empty. */
export type MailContext = { locale: MailLocale; appName: string; baseUrl: string; name: string }

export type MailLink = { label: string; url: string }

export type MailContent = {
  subject: string
  preheader: string
  heading: string
  paragraphs: string[]
  action?: MailLink
  secondAction?: MailLink
  footnote?: string
}

export type MailTemplate<Variables> = Record<MailLocale, (variables: Variables & { appName: string }) => MailContent>

// Create it lazily: the first formatter loads 20 MB of locale data.
const format = (locale: MailLocale, unit: 'minute' | 'hour' | 'day') => (count: number) =>
  new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)

export const duration = {
  en: { minutes: format('en', 'minute'), hours: format('en', 'hour'), days: format('en', 'day') },
  fr: { minutes: format('fr', 'minute'), hours: format('fr', 'hour'), days: format('fr', 'day') },
}
