import { AppError } from '../kernel/errors.ts'
import { serviceProcedure } from '../trpc.ts'
import { checkAllowListEntryInput } from './contract.ts'
import { isUsable } from './present-entry.ts'

/** Answers whether the user's money may go to the address now. One statement reads both tables at the same moment. USER_NOT_FOUND. */
export const checkAllowListEntry = serviceProcedure('allow-list:check')
  .input(checkAllowListEntryInput)
  .query(async ({ ctx, input: { userId, kind, value } }) => {
    const [row] = await ctx.sql.$queryRaw<{ enabled: boolean; usableFrom: Date | null }[]>`
      SELECT list.user_id IS NOT NULL AS enabled, entry.usable_from AS "usableFrom"
      FROM users
      LEFT JOIN allow_lists list
        ON list.user_id = users.id AND (list.ends_at IS NULL OR list.ends_at > ${new Date()})
      LEFT JOIN allow_list_entries entry
        ON entry.user_id = users.id AND entry.kind = ${kind} AND entry.value = ${value}
      WHERE users.id = ${userId}`
    if (!row) throw new AppError('USER_NOT_FOUND')
    const { enabled, usableFrom } = row
    return { allowed: !enabled || (usableFrom !== null && isUsable({ usableFrom })), enabled, usableFrom }
  })
