/** A language of pages and mails. */
export type Locale = 'en' | 'fr'
