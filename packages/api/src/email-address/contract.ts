import { z } from 'zod'
import { callbackURL, emailAddress, oneTimeToken } from '../kernel/fields.ts'

export const sendVerificationEmailInput = z.object({ email: emailAddress, callbackURL })

export const verifyEmailInput = z.object({ token: oneTimeToken, callbackURL })

export const changeEmailInput = z.object({ newEmail: emailAddress, callbackURL })

export const undoEmailChangeInput = z.object({ token: oneTimeToken })
