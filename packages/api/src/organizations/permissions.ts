/** The roles, highest first: nobody gives or takes one above their own. */
export const roles = ['owner', 'admin', 'member'] as const

export type Role = (typeof roles)[number]

/**
 * The one table of what each role may do. Procedures, pages and has-permission read it. It is better-auth's, teams and own roles
 * included, so that its client's `checkRolePermission` and our answers agree.
 */
export const permissions = {
  owner: {
    organization: ['update', 'delete'],
    member: ['create', 'update', 'delete'],
    invitation: ['create', 'cancel'],
    team: ['create', 'update', 'delete'],
    ac: ['create', 'read', 'update', 'delete'],
  },
  admin: {
    organization: ['update'],
    member: ['create', 'update', 'delete'],
    invitation: ['create', 'cancel'],
    team: ['create', 'update', 'delete'],
    ac: ['create', 'read', 'update', 'delete'],
  },
  member: { organization: [], member: [], invitation: [], team: [], ac: ['read'] },
} as const satisfies Record<Role, Record<string, readonly string[]>>

type Resource = keyof (typeof permissions)['owner']
type Action<Of extends Resource> = (typeof permissions)['owner'][Of][number]

/** Whether a role may do this. */
export const may = <Of extends Resource>(role: Role, resource: Of, action: Action<Of>): boolean =>
  (permissions[role][resource] as readonly string[]).includes(action)

/** Whether a role may do everything that is asked; to ask for nothing, or for what does not exist, is a no. */
export function mayAll(role: Role, asked: Record<string, readonly string[]>): boolean {
  const allowed = new Map<string, readonly string[]>(Object.entries(permissions[role]))
  const questions = Object.entries(asked)
  return (
    questions.length > 0 &&
    questions.every(
      ([resource, actions]) => actions.length > 0 && actions.every((action) => allowed.get(resource)?.includes(action)),
    )
  )
}

/** The roles that somebody with this role may give, and whose holders they may change or remove. */
export const rolesUpTo = (role: Role): readonly Role[] => roles.slice(roles.indexOf(role))
