import type { Locale } from './locale.ts'

/** Where a network is, in the language of the user. Not stored: networks move. */
export type Place = { city: string | null; country: string | null }

/** Returns null for an unknown network, and for all of them when the operator supplies no database. */
export type FindPlace = (ip: string, locale: Locale) => Place | null
