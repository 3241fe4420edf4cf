import { type AccountProtection, isHeld, isLocked } from './account-protection.ts'

/** What a session or a key may do. Other services attach the meaning. */
export const scopes = [
  'account:read',
  'order:read',
  'order:place',
  'order:cancel',
  'withdrawal:read',
  'withdrawal:create',
  'organization:read',
] as const
export type Scope = (typeof scopes)[number]

/** The scopes that the account can use now. A hold and a lock stop withdrawals; trading goes on. */
export const getUsableScopes = ({ tradingEnabled }: { tradingEnabled: boolean }, protection: AccountProtection): Scope[] =>
  scopes.filter((scope) => {
    if (scope === 'order:place') return tradingEnabled
    return scope !== 'withdrawal:create' || !(isHeld(protection) || isLocked(protection))
  })

/** The actions of each resource. `order:place` is the action `place` of `order`. */
export type Permissions = Record<string, string[]>

export function toScopes(permissions: Permissions): Scope[] {
  const asked = Object.entries(permissions).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`))
  return scopes.filter((scope) => asked.includes(scope))
}

export function toPermissions(granted: readonly string[]): Permissions {
  const permissions: Permissions = {}
  for (const scope of granted) {
    const [resource = '', action = ''] = scope.split(':')
    permissions[resource] = [...(permissions[resource] ?? []), action]
  }
  return permissions
}
