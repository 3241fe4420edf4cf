import { hash, randomBytes } from 'node:crypto'

export const createToken = (): string => randomBytes(32).toString('base64url')

/** Plain SHA-256 suffices: 256 random bits cannot be guessed. */
export const hashToken = (token: string): string => hash('sha256', token, 'base64url')
