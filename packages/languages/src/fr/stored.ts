import type { StoredText } from '../stored-text.ts'

export const stored: StoredText = { passkey: 'Clé d’accès' }
