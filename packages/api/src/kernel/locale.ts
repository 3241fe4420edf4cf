export type Locale = 'en' | 'fr'
