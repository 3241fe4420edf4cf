import { bearerChallenge } from '../kernel/bearer-challenge.ts'
import { AppError } from '../kernel/errors.ts'
import { roles } from '../kernel/roles.ts'
import {
  type Authentication,
  type AuthenticationRequirement,
  isStrongEnough,
  meetsRequirement,
} from '../sessions/authentication.ts'
import type { Caller } from './caller.ts'
import type { Requirements } from './contract.ts'

/** Returns the caller if it meets every requirement. INSUFFICIENT_USER_AUTHENTICATION, ORGANIZATION_REQUIRED, ROLE_REQUIRED, INSUFFICIENT_SCOPE. */
export function requireCaller(caller: Caller, { org, role, scope = [], ...authentication }: Requirements): Caller {
  assertAuthentication(caller, authentication)
  if (org !== undefined && caller.organization?.id !== org) throw new AppError('ORGANIZATION_REQUIRED')
  if (role !== undefined && !hasRole(caller, role)) throw new AppError('ROLE_REQUIRED')
  if (!scope.every((name) => caller.scopes.some((known) => known === name))) {
    throw new AppError('INSUFFICIENT_SCOPE', {
      challenge: bearerChallenge({ error: 'insufficient_scope', scope: scope.join(' ') }),
    })
  }
  return caller
}

/** RFC 9470. A password does not renew a session with a second factor, so the challenge names the strength of the session. */
export function assertAuthentication(authentication: Authentication, required: AuthenticationRequirement): void {
  if (meetsRequirement(authentication, required)) return
  const { acr = authentication.acr, max_age: maxAge } = required
  throw new AppError('INSUFFICIENT_USER_AUTHENTICATION', {
    challenge: bearerChallenge({
      error: 'insufficient_user_authentication',
      acr_values: isStrongEnough(authentication, required) ? authentication.acr : acr,
      ...(maxAge !== undefined && { max_age: String(maxAge) }),
    }),
  })
}

const hasRole = ({ organization }: Caller, least: (typeof roles)[number]): boolean =>
  organization !== null && roles.slice(0, roles.indexOf(least) + 1).some((role) => role === organization.role)
