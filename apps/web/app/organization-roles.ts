/** The roles in the words of the pages. */
export const roleNames: Record<string, string> = { owner: 'Owner', admin: 'Administrator', member: 'Member' }

/** Roles as the options of a choice. */
export const roleOptions = (roles: readonly string[]) => roles.map((value) => ({ value, label: roleNames[value] ?? value }))
