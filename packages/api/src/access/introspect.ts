import { inspectSession } from '../sessions/session-store.ts'
import { serviceProcedure } from '../trpc.ts'
import { toClaims } from './access-token.ts'
import { describeCaller } from './caller.ts'
import { introspectInput } from './contract.ts'

/** RFC 7662. Tells a service what the value of a session cookie stands for, without using the session. */
export const introspect = serviceProcedure('session:verify')
  .input(introspectInput)
  .query(async ({ ctx, input }) => {
    const active = await inspectSession(ctx, input.token)
    if (!active) return { active: false as const }
    const { baseUrl } = ctx.settings
    return {
      active: true as const,
      iss: baseUrl,
      client_id: baseUrl,
      exp: toSeconds(active.session.expiresAt),
      iat: toSeconds(active.session.createdAt),
      token_type: 'session' as const,
      ...toClaims(describeCaller(active)),
    }
  })

const toSeconds = (time: Date): number => Math.floor(time.getTime() / 1000)
