import { z } from 'zod'
import { fieldProblems } from '../kernel/field-problems.ts'
import { typedCode as code, password } from '../kernel/fields.ts'

/** `method: 'otp'`, codes by mail, is refused by name. The issuer is always the application's name. */
export const enableTwoFactorInput = z.object({
  password: password.optional(),
  method: z.enum(['totp', 'otp']).default('totp'),
})

export const getTotpUriInput = z.object({ password: password.optional() })

export const verifyTwoFactorInput = z.object({
  code,
  /** Without it the code's own form decides: six digits, or a backup code. */
  type: z.enum(['totp', 'backup']).optional(),
  /** This browser is not asked for a code for thirty days. */
  trustDevice: z.boolean().default(false),
})

export const verifyCodeInput = verifyTwoFactorInput.omit({ type: true })

/** Either proves that the caller may change the factor. */
const ownerProof = z
  .object({ password: password.optional(), code: code.optional() })
  .refine((proof) => proof.password !== undefined || proof.code !== undefined, {
    path: ['password'],
    message: fieldProblems.proofMissing,
  })

export const disableTwoFactorInput = ownerProof

export const generateBackupCodesInput = ownerProof

export const revokeTrustedDeviceInput = z.object({ id: z.string().min(1).max(64) })
