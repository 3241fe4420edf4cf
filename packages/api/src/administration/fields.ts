import { z } from 'zod'

export const userIdField = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^@:]+$/, 'must be an id, not an email')
  .describe('The id of a user')

export const rowId = z.string().min(1).max(128)

export const reasonField = z
  .string()
  .trim()
  .min(10)
  .max(500)
  .describe('Why, for the audit log. The user can read it in their activity')

/** Of a query string. */
export const wholeNumber = (most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().max(most))
