import { generateSecret, generateURI, verifySync } from 'otplib'
import { policy } from '../kernel/policy.ts'

const { codePeriod: period } = policy.twoFactor

/** RFC 4226 4: 160 random bits. */
export const createTotpSecret = (): string => generateSecret({ length: 20 })

/** Neither name contains a colon: the configuration and the email rule forbid it. */
export const createTotpUri = (secret: string, { issuer, account }: { issuer: string; account: string }): string =>
  generateURI({ issuer, label: account, secret })

/** Accepts one step before and after (RFC 6238 5.2). Returns null for a wrong code. */
export function findTimeStep(secret: string, code: string): number | null {
  if (!/^[0-9]{6}$/.test(code)) return null
  const result = verifySync({ strategy: 'totp', secret, token: code, period, epochTolerance: period })
  return result.valid && 'timeStep' in result ? result.timeStep : null
}
