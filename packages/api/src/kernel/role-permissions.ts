import { type Role, roles } from './roles.ts'

/** better-auth's table, so that its client's `checkRolePermission` agrees with our answers, and `apiKey`, which its clients may add. */
export const permissions = {
  owner: {
    organization: ['update', 'delete'],
    member: ['create', 'update', 'delete'],
    invitation: ['create', 'cancel'],
    team: ['create', 'update', 'delete'],
    ac: ['create', 'read', 'update', 'delete'],
    apiKey: ['create', 'read', 'update', 'delete'],
  },
  admin: {
    organization: ['update'],
    member: ['create', 'update', 'delete'],
    invitation: ['create', 'cancel'],
    team: ['create', 'update', 'delete'],
    ac: ['create', 'read', 'update', 'delete'],
    apiKey: ['create', 'read', 'update', 'delete'],
  },
  member: { organization: [], member: [], invitation: [], team: [], ac: ['read'], apiKey: [] },
} as const satisfies Record<Role, Record<string, readonly string[]>>

type Resource = keyof (typeof permissions)['owner']
type Action<Of extends Resource> = (typeof permissions)['owner'][Of][number]

export const may = <Of extends Resource>(role: Role, resource: Of, action: Action<Of>): boolean =>
  (permissions[role][resource] as readonly string[]).includes(action)

/** Whether a role has every permission. False for an empty request and for unknown permissions. */
export function mayAll(role: Role, asked: Record<string, readonly string[]>): boolean {
  const allowed = new Map<string, readonly string[]>(Object.entries(permissions[role]))
  const requested = Object.entries(asked)
  return (
    requested.length > 0 &&
    requested.every(
      ([resource, actions]) => actions.length > 0 && actions.every((action) => allowed.get(resource)?.includes(action)),
    )
  )
}

export const rolesUpTo = (role: Role): readonly Role[] => roles.slice(roles.indexOf(role))
