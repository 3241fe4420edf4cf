import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { AuthorizationDetail } from './contract.ts'

/** A passkey signs the hash of this. `exp` is in seconds since 1970, `sid` is the handle of the session. */
export type TransactionData = {
  authorization_details: AuthorizationDetail[]
  sub: string
  sid: string
  nonce: string
  exp: number
}

/** RFC 8785. */
export function writeTransaction(transaction: TransactionData): string {
  const canonical = canonicalize(transaction)
  if (canonical === undefined) throw new Error('the transaction has no canonical form')
  return canonical
}

export const readTransaction = (canonical: string): TransactionData => JSON.parse(canonical) as TransactionData

/** The prefix keeps this hash apart from every other use of SHA-256. */
export const getChallenge = (canonical: string): string =>
  createHash('sha256').update('floorpass-tx-v1\0').update(canonical).digest('base64url')
