import { hash, randomBytes } from 'node:crypto'

/** 256 random bits as 43 base64url characters. */
export const createToken = (): string => randomBytes(32).toString('base64url')

/** Plain SHA-256 suffices: 256 random bits cannot be guessed. */
export const hashToken = (token: string): string => hash('sha256', token, 'base64url')
