import type { Transaction } from '@floorpass/db'
import type { MailName } from '@floorpass/email'
import type { TRPCMutationProcedure } from '@trpc/server'
import type { z } from 'zod'
import type { AuditAction } from './audit-log/audit-log.ts'
import type { Context } from './context.ts'
import type { CookieName } from './cookies/flow-cookie.ts'
import { type Effects, withEffects } from './effects.ts'
import { type LimitName, limits } from './kernel/policy.ts'
import { assertReauthenticated } from './reauthentication/reauthentication.ts'
import type { ActiveSession } from './sessions/session-cache.ts'
import { type Changed, transact } from './transact.ts'
import { type Declared, publicProcedure, sessionProcedure } from './trpc.ts'
import { lockCaller } from './users/lock-user.ts'

type Access = Declared['access']
type Input = z.ZodType | null

type CallerLimit = { [Name in LimitName]: (typeof limits)[Name]['counts'] extends 'ip' | 'user' ? Name : never }[LimitName]

/** Each field is required, so that a new mutation cannot forget one. */
type Declaration<
  A extends Access,
  I extends Input,
  Action extends AuditAction,
  Mail extends MailName,
  Cookie extends CookieName,
> = {
  /** `reauthenticated` refuses a session that reauthenticated too long ago: SESSION_NOT_FRESH. */
  access: A
  input: I
  /** Counted first, against the caller's IP address or account. TOO_MANY_REQUESTS. */
  limit: CallerLimit | null
  events: readonly Action[]
  mails: readonly Mail[]
  cookies: readonly Cookie[]
}

type Ctx<A extends Access, Action extends AuditAction, Mail extends MailName, Cookie extends CookieName> = Context &
  (A extends 'public' ? unknown : ActiveSession) &
  Effects<Action, Mail, Cookie>

type Scope<A extends Access, I extends Input, Action extends AuditAction, Mail extends MailName, Cookie extends CookieName> = {
  ctx: Ctx<A, Action, Mail, Cookie>
  input: I extends z.ZodType ? z.output<I> : undefined
}

type Mutation<I extends Input, Answer> = TRPCMutationProcedure<{
  input: I extends z.ZodType ? z.input<I> : undefined
  output: Answer
  meta: Declared
}>

/**
 * Declares a procedure that changes something in one transaction: prepare, lock, change, record the events, commit, answer, wake the mail queue.
 * It writes only the events, mails and cookies that it lists; another one is a type error (ADR 032).
 */
export function mutation<
  A extends Access,
  I extends Input,
  Result,
  Action extends AuditAction = never,
  Mail extends MailName = never,
  Cookie extends CookieName = never,
  Prepared = undefined,
  Locked = undefined,
  Answer = Result,
>(
  declaration: Declaration<A, I, Action, Mail, Cookie> & {
    /** Runs before the transaction: slow work such as hashing. */
    prepare?: (scope: Scope<A, I, Action, Mail, Cookie>) => Promise<Prepared> | Prepared
    /** Runs first in the transaction. `caller` locks the signed-in user and requires a live session. */
    lock: 'caller' | ((tx: Transaction, scope: Scope<A, I, Action, Mail, Cookie> & { prepared: Prepared }) => Promise<Locked>)
    change: (
      tx: Transaction,
      scope: Scope<A, I, Action, Mail, Cookie> & { prepared: Prepared; locked: Locked },
    ) => Promise<Changed<Ctx<A, Action, Mail, Cookie>, NoInfer<Action>, Result>>
    /** Runs after the commit: cookies, and counters that are not in the database. Without it, the result is the answer. */
    answer?: (scope: Scope<A, I, Action, Mail, Cookie> & { result: Result; prepared: Prepared }) => Promise<Answer> | Answer
  },
): Mutation<I, Answer> {
  const { prepare, lock, change, answer, ...declared } = declaration
  return customMutation({
    ...declared,
    lock: lock === 'caller' ? 'caller' : 'own',
    async run(scope) {
      const { ctx } = scope
      const prepared = (await prepare?.(scope)) as Prepared
      const result = await transact(
        ctx,
        (tx) => (lock === 'caller' ? lockCaller(tx, asSignedIn(ctx)) : lock(tx, { ...scope, prepared })) as Promise<Locked>,
        (tx, locked) => change(tx, { ...scope, prepared, locked }),
      )
      return (answer ? answer({ ...scope, prepared, result }) : result) as Answer
    },
  })
}

/** Declares a procedure that controls its own transactions, or needs none. */
export function customMutation<
  A extends Access,
  I extends Input,
  Answer,
  Action extends AuditAction = never,
  Mail extends MailName = never,
  Cookie extends CookieName = never,
>(
  declaration: Declaration<A, I, Action, Mail, Cookie> & {
    lock: Declared['lock']
    run: (scope: Scope<A, I, Action, Mail, Cookie>) => Promise<Answer>
  },
): Mutation<I, Answer> {
  const { input, run, ...declared } = declaration
  const { access, limit } = declared
  const base = (access === 'public' ? publicProcedure : sessionProcedure).meta(declared)
  const procedure = (input === null ? base : base.input(input)) as typeof base
  return procedure.mutation(async ({ ctx, input }) => {
    if (access === 'reauthenticated') assertReauthenticated(asSignedIn(ctx).session)
    if (limit !== null) await consumeLimit(ctx, limit)
    const scopeCtx = withEffects(ctx)
    try {
      return await run({ ctx: scopeCtx, input } as unknown as Scope<A, I, Action, Mail, Cookie>)
    } finally {
      // A refusal may have queued a mail to the owner.
      scopeCtx.wakeMail()
    }
  }) as unknown as Mutation<I, Answer>
}

const consumeLimit = (ctx: Context, limit: CallerLimit): Promise<unknown> =>
  limits[limit].counts === 'ip' ? ctx.limitByIp(limit) : ctx.limiter.consume(limit, asSignedIn(ctx).user.id)

/** `sessionProcedure` added the session. */
const asSignedIn = (ctx: Context): Context & ActiveSession => ctx as Context & ActiveSession
