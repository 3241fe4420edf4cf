/** Texts that the service writes into rows, in the language of the request. */
export type StoredText = { passkey: string }
