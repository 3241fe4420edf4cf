import type { Transaction } from '@floorpass/db'
import { policy } from '../kernel/policy.ts'
import { hashToken } from '../kernel/random-token.ts'
import { createTypedCode, normalizeTypedCode } from '../kernel/typed-code.ts'

/** 75 random bits. */
const length = 15

export async function replaceBackupCodes(tx: Transaction, userId: string): Promise<string[]> {
  const codes = Array.from({ length: policy.twoFactor.backupCodes }, () => createTypedCode(length))
  await tx.backupCode.deleteMany({ where: { userId } })
  await tx.backupCode.createMany({ data: codes.map((code) => ({ userId, codeHash: hashToken(normalizeTypedCode(code)) })) })
  return codes
}

/** Of concurrent uses, exactly one succeeds. */
export async function consumeBackupCode(tx: Transaction, userId: string, code: string): Promise<boolean> {
  const codeHash = hashToken(normalizeTypedCode(code))
  const { count } = await tx.backupCode.updateMany({ where: { userId, codeHash, usedAt: null }, data: { usedAt: new Date() } })
  return count === 1
}

export const countBackupCodes = (tx: Transaction, userId: string): Promise<number> =>
  tx.backupCode.count({ where: { userId, usedAt: null } })

export const hasBackupCodeFormat = (code: string): boolean => normalizeTypedCode(code).length === length
