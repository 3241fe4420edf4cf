import type { MailName } from '@floorpass/email'
import { initTRPC } from '@trpc/server'
import { ZodRealError } from 'zod'
import { requireAdministrator } from './administration/require-administrator.ts'
import type { AuditAction } from './audit-log/audit-log.ts'
import type { Context } from './context.ts'
import type { CookieName } from './cookies/flow-cookie.ts'
import type { AdministratorPermission } from './kernel/administrator-roles.ts'
import { AppError, validationError } from './kernel/errors.ts'
import type { LimitName } from './kernel/policy.ts'
import { requireService } from './service-credentials/require-service.ts'
import type { ServiceScope } from './service-credentials/scopes.ts'
import { assertNotImpersonated, assertNotImpersonating } from './sessions/impersonation.ts'
import { toAppError } from './to-app-error.ts'

/** What a mutation declares about itself; `mutation` requires every field. */
export type Declared = {
  access: 'public' | 'session' | 'reauthenticated' | ServiceScope | AdministratorPermission
  /** Whether an account lock refuses it. */
  sensitive: boolean | 'in-part'
  whileImpersonated?: true
  limit: LimitName | null
  /** `caller`: the signed-in user. `own`: the mutation takes its own lock. `none`: it changes no row that needs one. */
  lock: 'caller' | 'own' | 'none'
  events: readonly AuditAction[]
  mails: readonly MailName[]
  cookies: readonly CookieName[]
}

const t = initTRPC
  .context<Context>()
  .meta<Declared>()
  .create({
    isDev: false,
    errorFormatter({ shape, error }) {
      const { key, message, status, fields: failures, retryAfter } = toAppError(error)
      const fields = failures && Object.fromEntries(Object.entries(failures).map(([path, { sentence }]) => [path, sentence]))
      return { ...shape, message, data: { ...shape.data, httpStatus: status, key, fields, retryAfter } }
    },
  })

export const router = t.router
export const mergeRouters = t.mergeRouters
export const createCallerFactory = t.createCallerFactory

const traceResult =
  <Result extends { ok: boolean; error?: unknown }>(next: () => Promise<Result>) =>
  async (set: (name: string, value: string) => void): Promise<Result> => {
    const result = await next()
    if (!result.ok) set('error.type', toAppError(result.error).key)
    return result
  }

/** One middleware, since each costs a third of a cached call (ADR 024). */
const handleErrors = t.middleware(async ({ ctx, getRawInput, next, path, type, meta }) => {
  const run = async () => {
    try {
      if (type === 'mutation' && !meta?.whileImpersonated) await assertNotImpersonating(ctx, meta?.access)
      assertStorable(await getRawInput(), [])
    } catch (error) {
      return { ok: false as const, error }
    }
    return next()
  }
  // A cached session may have ended a moment ago: it must not change anything.
  if (type === 'mutation') ctx.forgetSession()
  const result = await (ctx.tracing ? ctx.tracing.span(`procedure ${path}`, {}, traceResult(run)) : run())
  if (type === 'mutation') {
    // Remove ended sessions from memory before the response.
    await ctx.changes.flush()
    ctx.forgetSession()
  }
  if (result.ok) return result
  const error = toAppError(result.error)
  ctx.onError(error.key)
  if (error.status >= 500) ctx.log.error({ err: error.cause ?? error, procedure: path, key: error.key }, 'procedure failed')
  throw error
})

const maxDepth = 16

function assertStorable(value: unknown, path: readonly string[]): void {
  if (path.length > maxDepth) throw inputError(path.slice(0, 1), `Nested deeper than ${maxDepth} levels`)
  if (typeof value === 'string' && (value.includes('\u0000') || !value.isWellFormed()))
    throw inputError(path, 'Text with a NUL character or half a surrogate pair')
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    assertStorable(key, path)
    assertStorable(item, [...path, key])
  }
}

/** Its cause has the path, so that the route can say where the field was: in the body or in the query. */
const inputError = (path: readonly string[], message: string): AppError =>
  validationError(new ZodRealError([{ code: 'custom', path: [...path], message, input: undefined }]))

export const publicProcedure = t.procedure.use(handleErrors)

export const sessionProcedure = publicProcedure.use(async ({ ctx, next }) => {
  const active = await ctx.findSession()
  if (!active) throw new AppError('UNAUTHORIZED')
  return next({ ctx: active })
})

/** For reads that show a secret or leave the service. An administrator who impersonates the user is refused. */
export const ownerProcedure = sessionProcedure.use(({ ctx, next }) => {
  assertNotImpersonated(ctx)
  return next()
})

/** For the administrators of the service whose role has the permission, after a recent proof. */
export const administratorProcedure = (permission: AdministratorPermission) =>
  ownerProcedure.use(async ({ ctx, next }) => {
    await requireAdministrator(ctx, permission)
    return next()
  })

/** For other services, with a secret that has the scope. */
export const serviceProcedure = (scope: ServiceScope) =>
  publicProcedure.use(async ({ ctx, next }) => next({ ctx: { service: await requireService(ctx, scope) } }))
