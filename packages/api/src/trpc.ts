import { initTRPC } from '@trpc/server'
import type { Context } from './context.ts'
import { AppError } from './kernel/errors.ts'
import { toAppError } from './to-app-error.ts'

const t = initTRPC.context<Context>().create({
  isDev: false,
  errorFormatter({ shape, error }) {
    const { key, message, status, fields, retryAfter } = toAppError(error)
    return { ...shape, message, data: { ...shape.data, httpStatus: status, key, fields, retryAfter } }
  },
})

export const router = t.router
export const createCallerFactory = t.createCallerFactory

const runIn =
  <Result extends { ok: boolean; error?: unknown }>(next: () => Promise<Result>) =>
  async (set: (name: string, value: string) => void): Promise<Result> => {
    const result = await next()
    if (!result.ok) set('error.type', toAppError(result.error).key)
    return result
  }

/**
 * Text that PostgreSQL cannot hold or that two parsers read differently is refused before any rule sees it. Every failure leaves as an
 * entry of the catalogue, and one that nobody expected is logged, once, here. One middleware, not two: to tRPC each costs a third of a
 * call from memory (ADR 024).
 */
const withCatalogue = t.middleware(async ({ ctx, getRawInput, next, path, type }) => {
  const work = async () => {
    try {
      refuseUnstorable(await getRawInput(), 0)
    } catch (error) {
      return { ok: false as const, error }
    }
    return next()
  }
  // Who was signed out or suspended elsewhere a moment ago may still read here, but changes nothing.
  if (type === 'mutation') ctx.forgetSession()
  const result = await (ctx.tracing ? ctx.tracing.span(`procedure ${path}`, {}, runIn(work)) : work())
  if (type === 'mutation') {
    // What it ended must open nothing any more once its answer is out, whether it failed or not.
    await ctx.sessionCache.settle()
    ctx.forgetSession()
  }
  if (result.ok) return result
  const error = toAppError(result.error)
  ctx.onError(error.key)
  if (error.status >= 500) ctx.log.error({ err: error.cause ?? error, procedure: path, key: error.key }, 'a procedure failed')
  throw error
})

const deepest = 16

function refuseUnstorable(value: unknown, depth: number): void {
  if (depth > deepest) throw new AppError('VALIDATION_ERROR', { message: `[body] Nested deeper than ${deepest} levels` })
  if (typeof value === 'string' && (value.includes('\u0000') || !value.isWellFormed())) {
    throw new AppError('VALIDATION_ERROR', { message: '[body] Text with a NUL character or half a surrogate pair' })
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    refuseUnstorable(key, depth)
    refuseUnstorable(item, depth + 1)
  }
}

export const publicProcedure = t.procedure.use(withCatalogue)

/** The caller is signed in: `ctx.session` and `ctx.user`. Else UNAUTHORIZED. */
export const sessionProcedure = publicProcedure.use(async ({ ctx, next }) => {
  const active = await ctx.findSession()
  if (!active) throw new AppError('UNAUTHORIZED')
  return next({ ctx: active })
})
