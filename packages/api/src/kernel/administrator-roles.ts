/** Of the service itself, not of an organization. Strongest first. */
export const administratorRoles = ['admin', 'support', 'auditor'] as const
export type AdministratorRole = (typeof administratorRoles)[number]

const permissions = {
  'user:list': ['admin', 'support', 'auditor'],
  'user:get': ['admin', 'support', 'auditor'],
  'user:create': ['admin'],
  'user:update': ['admin'],
  'user:set-role': ['admin'],
  'user:set-password': ['admin'],
  'user:disable-two-factor': ['admin'],
  'user:ban': ['admin'],
  'user:delete': ['admin'],
  'approval:list': ['admin', 'support', 'auditor'],
  'approval:reject': ['admin'],
  'user:impersonate': ['admin'],
  'session:list': ['admin', 'support', 'auditor'],
  'session:revoke': ['admin', 'support'],
  'audit:list': ['admin', 'support', 'auditor'],
  'mail:list': ['admin', 'support', 'auditor'],
  'mail:retry': ['admin', 'support'],
  'mail:drop': ['admin'],
  'webhook:list': ['admin', 'support', 'auditor'],
  'service:list': ['admin', 'support', 'auditor'],
  'key:list': ['admin', 'support', 'auditor'],
  'key:revoke': ['admin'],
  'setting:list': ['admin', 'auditor'],
  'organization:list': ['admin', 'support', 'auditor'],
  'organization:get': ['admin', 'support', 'auditor'],
  'organization:suspend': ['admin'],
  'organization:restore': ['admin'],
  'organization:transfer': ['admin'],
  'count:list': ['admin', 'support', 'auditor'],
} as const satisfies Record<string, readonly AdministratorRole[]>

export type AdministratorPermission = keyof typeof permissions
export const administratorPermissions = Object.keys(permissions) as AdministratorPermission[]

/** False for a role or a permission that does not exist. */
export const mayAdminister = (role: string | null, permission: string): boolean =>
  Object.hasOwn(permissions, permission) && permissions[permission as AdministratorPermission].some((granted) => granted === role)
