import { z } from 'zod'
import { callbackURL, emailAddress, oneTimeToken, password } from '../kernel/fields.ts'

export const requestPasswordResetInput = z.object({ email: emailAddress, redirectTo: callbackURL })

export const resetPasswordInput = z.object({ newPassword: password, token: oneTimeToken })

export const changePasswordInput = z.object({ currentPassword: password, newPassword: password })

export const checkPasswordInput = z.object({
  password: z.string().max(10_000),
  name: z.string().max(200).default(''),
  email: z.string().max(320).default(''),
  token: oneTimeToken.optional(),
})

export const setPasswordInput = z.object({ newPassword: password })

export const resetLinkInput = z.object({ token: oneTimeToken, callbackURL: z.string().min(1).max(2048) })
