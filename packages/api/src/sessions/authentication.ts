import type { Session } from '@floorpass/db'
import { policy } from '../kernel/policy.ts'
import { type Acr, acrValues } from './contract.ts'

/** `pwd` and `otp` are words of RFC 8176. `fed` is a social provider, `mail` a link by email. */
export type AuthenticationMethod = 'pwd' | 'otp' | 'fed' | 'mail'

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
  (required.max_age === undefined || isYoungerThan(authentication.authTime, required.max_age))

/** A time in the future counts as too old: the clock was set back. */
function isYoungerThan(time: Date, seconds: number): boolean {
  const age = Date.now() - time.getTime()
  return age <= seconds * 1000 && age >= -policy.session.clockTolerance * 1000
}
