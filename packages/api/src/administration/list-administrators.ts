import { presentFoundUser } from './find-users.ts'
import type { Reader } from './operator.ts'

export const listAdministrators = async ({ ctx }: Reader) =>
  (await ctx.db.user.findMany({ where: { role: { not: null } }, orderBy: { email: 'asc' } })).map(presentFoundUser)
