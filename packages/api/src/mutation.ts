import type { Transaction } from '@floorpass/db'
import type { MailName } from '@floorpass/email'
import type { TRPCMutationProcedure } from '@trpc/server'
import type { z } from 'zod'
import type { AuditAction } from './audit-log/audit-log.ts'
import type { Context } from './context.ts'
import type { CookieName } from './cookies/flow-cookie.ts'
import { type Effects, withEffects } from './effects.ts'
import { type AdministratorPermission, administratorPermissions } from './kernel/administrator-roles.ts'
import { type LimitName, limits } from './kernel/policy.ts'
import { assertReauthenticated } from './reauthentication/reauthentication.ts'
import type { CallingService } from './service-credentials/require-service.ts'
import { type ServiceScope, serviceScopes } from './service-credentials/scopes.ts'
import type { ActiveSession } from './sessions/session-cache.ts'
import { type Changed, transact } from './transact.ts'
import { administratorProcedure, type Declared, publicProcedure, serviceProcedure, sessionProcedure } from './trpc.ts'
import { assertUnlocked, lockCaller, requireUnlocked } from './users/lock-user.ts'

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
  /** `reauthenticated` refuses a session that reauthenticated too long ago: SESSION_NOT_FRESH.
   * A scope: for another service. A permission: for administrators. */
  access: A
  input: I
  /** ACCOUNT_LOCKED while the caller's account is locked. `in-part`: the mutation asserts this itself where it must. */
  sensitive: (A extends 'public' | ServiceScope ? false : boolean) | 'in-part'
  /** An impersonated session may call it. Without this: IMPERSONATION_READ_ONLY. */
  whileImpersonated?: true
  /** Counted first, against the caller's IP address or account. TOO_MANY_REQUESTS. */
  limit: CallerLimit | null
  events: readonly Action[]
  mails: readonly Mail[]
  cookies: readonly Cookie[]
}

type Ctx<A extends Access, Action extends AuditAction, Mail extends MailName, Cookie extends CookieName> = Context &
  (A extends 'public' ? unknown : A extends ServiceScope ? { service: CallingService } : ActiveSession) &
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
        async (tx) => {
          const locked = await (lock === 'caller' ? lockCaller(tx, asSignedIn(ctx)) : lock(tx, { ...scope, prepared }))
          // The account may have been locked while this waited.
          if (declared.sensitive === true) await requireUnlocked(tx, asSignedIn(ctx).user.id)
          return locked as Locked
        },
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
  const base = procedureFor(access).meta(declared)
  const procedure = (input === null ? base : base.input(input)) as typeof base
  return procedure.mutation(async ({ ctx, input }) => {
    if (declared.sensitive === true) assertUnlocked(asSignedIn(ctx).user)
    if (access === 'reauthenticated') assertReauthenticated(asSignedIn(ctx).session)
    if (limit !== null) await consumeLimit(ctx, limit)
    const scopeCtx = withEffects(ctx)
    try {
      return await run({ ctx: scopeCtx, input } as unknown as Scope<A, I, Action, Mail, Cookie>)
    } finally {
      // A refusal may have queued a mail to the owner.
      scopeCtx.wakeMail()
      ctx.events.scheduleFlush()
    }
  }) as unknown as Mutation<I, Answer>
}

const isAdministratorPermission = (access: Access): access is AdministratorPermission =>
  administratorPermissions.some((permission) => permission === access)

const isServiceScope = (access: Access): access is ServiceScope => serviceScopes.some((scope) => scope === access)

function procedureFor(access: Access): typeof sessionProcedure {
  if (isAdministratorPermission(access)) return administratorProcedure(access) as unknown as typeof sessionProcedure
  if (isServiceScope(access)) return serviceProcedure(access) as unknown as typeof sessionProcedure
  return access === 'public' ? (publicProcedure as unknown as typeof sessionProcedure) : sessionProcedure
}

const consumeLimit = (ctx: Context, limit: CallerLimit): Promise<unknown> =>
  limits[limit].counts === 'ip' ? ctx.limitByIp(limit) : ctx.limiter.consume(limit, asSignedIn(ctx).user.id)

/** `sessionProcedure` added the session. */
const asSignedIn = (ctx: Context): Context & ActiveSession => ctx as Context & ActiveSession
