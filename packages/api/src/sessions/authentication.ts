import type { Session } from '@floorpass/db'
import { policy } from '../kernel/policy.ts'
import { type Acr, acrValues } from './contract.ts'

/**
 * Words of RFC 8176: `hwk` is a passkey that stays on its device, `swk` one that may be synced.
 * Words of ours: `fed` is a social provider, `mail` a link by email.
 */
export type AuthenticationMethod = 'pwd' | 'otp' | 'hwk' | 'swk' | 'fed' | 'mail'

export const isPasskeyMethod = (method: AuthenticationMethod): boolean => method === 'hwk' || method === 'swk'

export type Authentication = {
  acr: Acr
  amr: readonly string[]
  /** The last proof at this `acr`: a password entered later does not make a second factor newer. */
  authTime: Date
}

type Proofs = Pick<Session, 'createdAt' | 'authenticatedAt' | 'authenticationMethods' | 'secondFactorAt'>

export const describeAuthentication = ({
  createdAt,
  authenticatedAt,
  authenticationMethods,
  secondFactorAt,
}: Proofs): Authentication => ({
  acr: secondFactorAt ? 'aal2' : 'aal1',
  amr: secondFactorAt ? [...authenticationMethods, 'mfa'] : authenticationMethods,
  authTime: secondFactorAt ?? authenticatedAt ?? createdAt,
})

export type AuthenticationRequirement = { acr?: Acr | undefined; max_age?: number | undefined }

export const isStrongEnough = ({ acr }: Authentication, { acr: least }: AuthenticationRequirement): boolean =>
  least === undefined || acrValues.indexOf(acr) >= acrValues.indexOf(least)

export const meetsRequirement = (authentication: Authentication, required: AuthenticationRequirement): boolean =>
  isStrongEnough(authentication, required) &&
  (required.max_age === undefined || isRecent(authentication.authTime, required.max_age))

/** A time in the future counts as too old: the clock was set back. */
export function isRecent(time: Date, seconds: number): boolean {
  const age = Date.now() - time.getTime()
  return age <= seconds * 1000 && age >= -policy.session.clockTolerance * 1000
}
