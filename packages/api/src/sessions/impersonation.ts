import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import type { ActiveSession } from './session-cache.ts'
import { findSessionToken, inspectSession } from './session-store.ts'

/** IMPERSONATION_READ_ONLY. */
export function assertNotImpersonated({ session }: Pick<ActiveSession, 'session'>): void {
  if (session.impersonatedBy !== null) throw new AppError('IMPERSONATION_READ_ONLY')
}

/** Also for public calls, such as a sign-in, that carry the cookie of an impersonated session. IMPERSONATION_READ_ONLY. */
export async function assertNotImpersonating(ctx: Context, access: string | undefined): Promise<void> {
  const active = await (access === 'public' ? inspectPresentedSession(ctx) : ctx.findSession())
  if (active) assertNotImpersonated(active)
}

/** Reads the cookie of a public call without counting it as use of the session. */
function inspectPresentedSession(ctx: Context): Promise<ActiveSession | null> {
  const token = findSessionToken(ctx)
  return token === undefined ? Promise.resolve(null) : inspectSession(ctx, { token })
}
