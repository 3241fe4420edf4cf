import { z } from 'zod'
import { riskLevel } from './fields.ts'

/** What the routes answer, as it stands in JSON. The OpenAPI document shows these; a test holds real answers against them. */

const date = z.iso.datetime().describe('UTC, with milliseconds')

export const userAnswer = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    image: z.string().nullable(),
    createdAt: date,
    updatedAt: date,
    twoFactorEnabled: z.boolean(),
    tradingEnabled: z.boolean(),
    riskLevel,
  })
  .meta({ id: 'User' })

const sessionFields = {
  id: z.string(),
  token: z.string().describe('A handle that names the session to revoke. It opens nothing.'),
  userId: z.string(),
  expiresAt: date,
  createdAt: date,
  updatedAt: date.describe('The last extension'),
  ipAddress: z.string(),
  userAgent: z.string(),
  activeOrganizationId: z.string().nullable(),
}

export const sessionAnswer = z.strictObject(sessionFields).meta({ id: 'Session' })

export const deviceAnswer = z
  .strictObject({
    ...sessionFields,
    device: z.string().nullable(),
    browser: z.string().nullable(),
    os: z.string().nullable(),
    lastSeenAt: date.describe('Exact to ten minutes'),
    trusted: z.boolean().describe('This device signs in without a code of the second factor'),
    current: z.boolean(),
  })
  .meta({ id: 'Device' })

export const statusAnswer = z.strictObject({ status: z.literal(true) })
export const successAnswer = z.strictObject({ success: z.literal(true) })

export const accountAnswer = z
  .strictObject({
    id: z.string(),
    accountId: z.string().describe("The person's id at the provider; the user's own for `credential`"),
    providerId: z.string(),
    userId: z.string(),
    scopes: z.array(z.string()),
    lastUsedAt: date.nullable(),
    createdAt: date,
    updatedAt: date,
  })
  .meta({ id: 'Account' })

export const accountsAnswer = z.array(accountAnswer)
export const socialRedirectAnswer = z.strictObject({ url: z.string(), redirect: z.boolean() })
export const signUpAnswer = z.strictObject({ token: z.null(), user: userAnswer })
export const twoFactorRedirectAnswer = z
  .strictObject({ twoFactorRedirect: z.literal(true), twoFactorMethods: z.array(z.enum(['totp'])) })
  .meta({ id: 'TwoFactorRedirect', description: 'No session yet: the sign-in waits for a code' })

export const signInAnswer = z.union([
  z.strictObject({ redirect: z.boolean(), token: z.string(), url: z.string().optional(), user: userAnswer }),
  twoFactorRedirectAnswer,
])
export const currentSessionAnswer = z.strictObject({ session: sessionAnswer, user: userAnswer }).nullable()
export const devicesAnswer = z.array(deviceAnswer)
export const requestResetAnswer = z.strictObject({ status: z.literal(true), message: z.string() })
export const changePasswordAnswer = z.strictObject({ token: z.string(), user: userAnswer })
export const verifyEmailAnswer = z.strictObject({ status: z.literal(true), user: userAnswer.nullable() })
export const deleteUserAnswer = z.strictObject({ success: z.literal(true), message: z.string() })

export const enableTwoFactorAnswer = z.strictObject({
  method: z.literal('totp'),
  totpURI: z.string(),
  backupCodes: z.array(z.string()).describe('Shown once'),
})
export const totpUriAnswer = z.strictObject({ totpURI: z.string() })
export const verifyTwoFactorAnswer = z.strictObject({
  token: z.string(),
  user: userAnswer,
  url: z.string().optional().describe('The callbackURL of the sign-in that this code ended'),
})
export const backupCodesAnswer = z.strictObject({
  status: z.literal(true),
  backupCodes: z.array(z.string()).describe('Shown once'),
})
export const trustedDevicesAnswer = z.array(
  z
    .strictObject({
      id: z.string(),
      device: z.string().nullable(),
      browser: z.string().nullable(),
      os: z.string().nullable(),
      ipAddress: z.string(),
      userAgent: z.string(),
      createdAt: date,
      lastUsedAt: date,
      expiresAt: date,
      current: z.boolean(),
    })
    .meta({ id: 'TrustedDevice' }),
)

export const exportAnswer = z.looseObject({ exportedAt: date, user: z.looseObject({ id: z.string() }) })
export const errorAnswer = z.strictObject({ code: z.string(), message: z.string() }).meta({ id: 'Error' })
