import { z } from 'zod'
import { problem } from '../kernel/field-problems.ts'
import { typedCode as code, password } from '../kernel/fields.ts'
import { passkeyAssertion } from '../passkeys/contract.ts'

/** Accepts `otp` so that OTP_NOT_CONFIGURED can explain the refusal. */
export const enableTwoFactorInput = z.object({
  password: password.optional(),
  method: z.enum(['totp', 'passkey', 'otp']).default('totp'),
})

export const getTotpUriInput = z.object({ password: password.optional() })

export const verifyTwoFactorInput = z.object({
  code,
  type: z.enum(['totp', 'backup']).optional(),
  trustDevice: z.boolean().default(false),
})

export const verifyCodeInput = verifyTwoFactorInput.omit({ type: true })

const reauthenticationProof = z
  .object({ password: password.optional(), code: code.optional(), passkey: passkeyAssertion.optional() })
  .refine((proof) => proof.password !== undefined || proof.code !== undefined || proof.passkey !== undefined, {
    path: ['password'],
    message: problem('passwordOrCodeMissing'),
  })

export const disableTwoFactorInput = reauthenticationProof

export const generateBackupCodesInput = reauthenticationProof

export const revokeTrustedDeviceInput = z.object({ id: z.string().min(1).max(64) })
