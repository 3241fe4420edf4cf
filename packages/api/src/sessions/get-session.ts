import type { Deps } from '../context.ts'
import { isReauthenticated } from '../reauthentication/reauthentication.ts'
import { publicProcedure, sessionProcedure } from '../trpc.ts'
import { presentSession, presentUser } from './present-session.ts'
import type { ActiveSession, CachedSession } from './session-cache.ts'
import { clearDeadCookie, findCached } from './session-store.ts'

/** The current session and its user, or null when signed out: never an error for that. Spec: Sessions. */
export const getSession = publicProcedure.query(async ({ ctx }) => {
  const active = await ctx.findSession()
  if (!active) clearDeadCookie(ctx)
  return active && present(active)
})

/** The same for guards of pages, and whether sensitive acts need no further proof. UNAUTHORIZED when signed out. */
export const requireSession = sessionProcedure.query(({ ctx }) => ({
  ...present(ctx),
  isReauthenticated: isReauthenticated(ctx.session),
}))

/**
 * The answer of `getSession` as the bytes of its JSON, when the presented session is in memory; null when it takes the database. For
 * transports that can do without the rest of a request.
 */
export function cachedSessionJson(
  deps: Pick<Deps, 'sessionCache' | 'settings'>,
  cookies: ReadonlyMap<string, string>,
): Buffer | null {
  const kept = findCached({ ...deps, cookies })
  return kept && jsonOf(kept)
}

function jsonOf(kept: CachedSession): Buffer {
  kept.json ??= bytesOf(JSON.stringify(present(kept.active)))
  return kept.json
}

/** Memory of its own: a slice of Node's pool would keep all of that pool as long as the session is kept. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

const present = ({ session, user }: ActiveSession) => ({ session: presentSession(session), user: presentUser(user) })
