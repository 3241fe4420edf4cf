import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import type { ActiveSession } from './session-cache.ts'
import { findSessionToken, inspectSession } from './session-store.ts'

/** IMPERSONATION_READ_ONLY. */
export function assertNotImpersonated({ session }: Pick<ActiveSession, 'session'>): void {
  if (session.impersonatedBy !== null) throw new AppError('IMPERSONATION_READ_ONLY')
}

/** The same for a call that may need no session, such as a sign-in: it would act in the browser of the administrator. */
export async function assertNotImpersonating(ctx: Context, access: string | undefined): Promise<void> {
  const active = await (access === 'public' ? inspectPresentedSession(ctx) : ctx.findSession())
  if (active) assertNotImpersonated(active)
}

/** A sign-in with an old cookie is no use of a session, and no guess at one. */
function inspectPresentedSession(ctx: Context): Promise<ActiveSession | null> {
  const token = findSessionToken(ctx)
  return token === undefined ? Promise.resolve(null) : inspectSession(ctx, { token })
}
