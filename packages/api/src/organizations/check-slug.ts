import { AppError } from '../kernel/errors.ts'
import { customMutation } from '../mutation.ts'
import { checkSlugInput } from './contract.ts'

/** Checks that a slug is free, without reserving it. ORGANIZATION_SLUG_ALREADY_TAKEN. */
export const checkSlug = customMutation({
  access: 'session',
  sensitive: false,
  input: checkSlugInput,
  limit: 'check-slug:user',
  lock: 'none',
  events: [],
  mails: [],
  cookies: [],

  async run({ ctx, input: { slug } }) {
    if ((await ctx.db.organization.count({ where: { slug } })) > 0) throw new AppError('ORGANIZATION_SLUG_ALREADY_TAKEN')
    return { status: true as const }
  },
})
