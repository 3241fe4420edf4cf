import { randomInt } from 'node:crypto'
import type { Transaction } from '@floorpass/db'
import { policy } from '../kernel/policy.ts'
import { hashToken } from '../kernel/random-token.ts'

/** Crockford's base 32: no letter that looks like a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const length = 15

/** New codes, the only ones from now on: 75 random bits each, as `k7w2m-9hq4t-x3r8c`. Only their hashes are stored. */
export async function replaceBackupCodes(tx: Transaction, userId: string): Promise<string[]> {
  const codes = Array.from({ length: policy.twoFactor.backupCodes }, createCode)
  await tx.backupCode.deleteMany({ where: { userId } })
  await tx.backupCode.createMany({ data: codes.map((code) => ({ userId, codeHash: hashToken(readable(code)) })) })
  return codes
}

/** Uses a code up: one conditional UPDATE, so that of any number of uses at once one succeeds. */
export async function consumeBackupCode(tx: Transaction, userId: string, code: string): Promise<boolean> {
  const codeHash = hashToken(readable(code))
  const { count } = await tx.backupCode.updateMany({ where: { userId, codeHash, usedAt: null }, data: { usedAt: new Date() } })
  return count === 1
}

export const countBackupCodes = (tx: Transaction, userId: string): Promise<number> =>
  tx.backupCode.count({ where: { userId, usedAt: null } })

/** Whether it has the form of a backup code, right or wrong. */
export const isBackupCode = (code: string): boolean => readable(code).length === length

function createCode(): string {
  const characters = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
  return characters.replace(/(.{5})(?=.)/g, '$1-')
}

/** The same code however a person copies it: without dashes and spaces, in either case, with the letters that paper confuses. */
const readable = (code: string): string => code.toLowerCase().replace(/[\s-]/g, '').replace(/[il]/g, '1').replace(/o/g, '0')
