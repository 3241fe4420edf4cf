import { hash, randomBytes } from 'node:crypto'

/** 256 random bits as 43 base64url characters. */
export const createToken = (): string => randomBytes(32).toString('base64url')

/** What the database keeps of a token. Plain SHA-256 is enough for 256 random bits: there is nothing to guess. */
export const hashToken = (token: string): string => hash('sha256', token, 'base64url')
