import { randomInt } from 'node:crypto'
import type { Transaction } from '@floorpass/db'
import { policy } from '../kernel/policy.ts'
import { hashToken } from '../kernel/random-token.ts'

/** Crockford's base 32 has no letter that looks like a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const length = 15

/** Returns codes such as `k7w2m-9hq4t-x3r8c`: 75 random bits. */
export async function replaceBackupCodes(tx: Transaction, userId: string): Promise<string[]> {
  const codes = Array.from({ length: policy.twoFactor.backupCodes }, createCode)
  await tx.backupCode.deleteMany({ where: { userId } })
  await tx.backupCode.createMany({ data: codes.map((code) => ({ userId, codeHash: hashToken(normalizeCode(code)) })) })
  return codes
}

/** Of concurrent uses, exactly one succeeds. */
export async function consumeBackupCode(tx: Transaction, userId: string, code: string): Promise<boolean> {
  const codeHash = hashToken(normalizeCode(code))
  const { count } = await tx.backupCode.updateMany({ where: { userId, codeHash, usedAt: null }, data: { usedAt: new Date() } })
  return count === 1
}

export const countBackupCodes = (tx: Transaction, userId: string): Promise<number> =>
  tx.backupCode.count({ where: { userId, usedAt: null } })

export const hasBackupCodeFormat = (code: string): boolean => normalizeCode(code).length === length

function createCode(): string {
  const characters = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
  return characters.replace(/(.{5})(?=.)/g, '$1-')
}

const normalizeCode = (code: string): string => code.toLowerCase().replace(/[\s-]/g, '').replace(/[il]/g, '1').replace(/o/g, '0')
