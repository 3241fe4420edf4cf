import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import { customMutation } from '../mutation.ts'
import { findOneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import { assertPasswordAllowed, type PasswordOwner } from '../password-strength/password-rules.ts'
import { checkPasswordInput } from './contract.ts'

/** Returns the first problem, or null. A mutation, to keep the password out of URLs. */
export const checkPassword = customMutation({
  access: 'public',
  sensitive: false,
  input: checkPasswordInput,
  limit: 'check-password:ip',
  lock: 'none',
  events: [],
  mails: [],
  cookies: [],

  async run({ ctx, input }) {
    try {
      await assertPasswordAllowed(input.password, await findOwner(ctx, input), 'password')
      return { problem: null }
    } catch (error) {
      const failure = error instanceof AppError ? error.fields?.password : undefined
      if (!failure || failure.problem === 'other') throw error
      return { problem: failure.problem }
    }
  },
})

async function findOwner(
  ctx: Context,
  input: { name: string; email: string; token?: string | undefined },
): Promise<PasswordOwner> {
  const { appName } = ctx.settings
  const active = await ctx.findSession()
  if (active) return { ...active.user, appName }
  const link = input.token === undefined ? null : await findOneTimeToken(ctx.db, 'reset-password', input.token).catch(() => null)
  return { ...(link?.user ?? input), appName }
}
