import { type Acr, acrs, type Caller, type Role, roles, splitList } from './caller.ts'
import { refuse } from './refusal.ts'

/** What a route demands of its caller. */
export type Requirements = {
  /** `aal2` demands a second factor: INSUFFICIENT_USER_AUTHENTICATION. */
  acr?: Acr
  /** Seconds since the person last proved who they are: INSUFFICIENT_USER_AUTHENTICATION. */
  maxAge?: number
  /** Each of these scopes: INSUFFICIENT_SCOPE. */
  scope?: string | readonly string[]
  /** The id of an organization: ORGANIZATION_REQUIRED. A token names the active one; the service knows every membership. */
  org?: string
  /** At least this role in the organization: ROLE_REQUIRED. */
  role?: Role
}

const scopesOf = ({ scope = [] }: Requirements) => (typeof scope === 'string' ? splitList(scope) : scope)

/** An unknown requirement refuses everyone. */
const reaches = (order: readonly string[], actual: string | null, required: string | undefined) =>
  required === undefined || (actual !== null && order.slice(0, order.indexOf(required) + 1).includes(actual))

/** Checks the caller of a token as the service would. Returns null when every requirement is met. */
export function findRefusal(caller: Caller, requirements: Requirements, clockTolerance: number) {
  const { acr, maxAge, org = caller.organizationId, role } = requirements
  const age = Date.now() / 1000 - caller.authTime
  const isStrong = reaches(acrs, caller.acr, acr)
  // A time in the future counts as too old: the clock was set back. A comparison with NaN is false, so that a wrong maxAge refuses.
  const isRecent = maxAge === undefined || (age - clockTolerance <= maxAge && age >= -60)
  if (!isStrong || !isRecent) {
    const wanted = `acr_values="${isStrong ? caller.acr : acr}"${Number.isFinite(maxAge) ? `, max_age="${maxAge}"` : ''}`
    return refuse('INSUFFICIENT_USER_AUTHENTICATION', `Bearer error="insufficient_user_authentication", ${wanted}`)
  }
  if (org !== caller.organizationId) return refuse('ORGANIZATION_REQUIRED')
  if (!reaches(roles, caller.role, role)) return refuse('ROLE_REQUIRED')
  const scopes = scopesOf(requirements)
  if (scopes.every((scope) => caller.scopes.includes(scope))) return null
  return refuse('INSUFFICIENT_SCOPE', `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`)
}

/** The parameters of `GET /auth/verify`. */
export function toParameters(requirements: Requirements): [string, string][] {
  const { acr, maxAge, org, role } = requirements
  const parameters = { acr, max_age: maxAge, scope: scopesOf(requirements).join(' ') || undefined, org, role }
  return Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
}
