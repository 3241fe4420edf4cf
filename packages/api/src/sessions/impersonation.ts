import type { Context } from '../context.ts'
import { AppError } from '../kernel/errors.ts'
import type { ActiveSession } from './session-cache.ts'
import { findSessionToken, inspectSession } from './session-store.ts'

/** IMPERSONATION_READ_ONLY. */
export function assertNotImpersonated({ session }: Pick<ActiveSession, 'session'>): void {
  if (session.impersonatedBy !== null) throw new AppError('IMPERSONATION_READ_ONLY')
}

/** The same for a call that needs no session, such as a sign-in: it would act in the browser of the administrator. */
export async function assertNotImpersonating(ctx: Context): Promise<void> {
  const token = findSessionToken(ctx)
  const active = token === undefined ? null : await inspectSession(ctx, { token })
  if (active) assertNotImpersonated(active)
}
