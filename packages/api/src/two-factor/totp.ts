import { generateSecret, generateURI, verifySync } from 'otplib'
import { policy } from '../kernel/policy.ts'

const { codePeriod: period } = policy.twoFactor

/** 160 random bits (RFC 4226 section 4) in base32. */
export const createTotpSecret = (): string => generateSecret({ length: 20 })

/** What the QR code says to an authenticator. No colon may be in either name; the configuration and the address rule see to that. */
export const totpUri = (secret: string, { issuer, account }: { issuer: string; account: string }): string =>
  generateURI({ issuer, label: account, secret })

/** The time step that a code of six digits is for, now or one step before or after (RFC 6238 section 5.2); null for a wrong code. */
export function findTimeStep(secret: string, code: string): number | null {
  // The library throws for what is no code at all.
  if (!/^[0-9]{6}$/.test(code)) return null
  const result = verifySync({ strategy: 'totp', secret, token: code, period, epochTolerance: period })
  return result.valid && 'timeStep' in result ? result.timeStep : null
}
