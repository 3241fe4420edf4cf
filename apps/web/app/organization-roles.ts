import type { Text } from '#app/text.ts'

/** A role in the words of the pages. */
export const roleName = (role: string, { roles }: Text): string => roles[role] ?? role

/** Roles as the options of a choice. */
export const roleOptions = (roles: readonly string[], text: Text) =>
  roles.map((value) => ({ value, label: roleName(value, text) }))
