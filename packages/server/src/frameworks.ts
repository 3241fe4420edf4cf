import { type Caller, rememberCaller } from './caller.ts'
import { presentRefusal, refusalResponse } from './refusal.ts'
import type { Requirements } from './requirements.ts'
import type { Verify } from './verifier.ts'

type NodeRequest = { headers: Record<string, string | string[] | undefined> }
type ExpressResponse = { status(code: number): { set(headers: Record<string, string>): { json(body: unknown): unknown } } }
type FastifyReply = { code(status: number): { headers(headers: Record<string, string>): { send(body: unknown): unknown } } }

/** Remembers the caller, or returns what answers the refused request. */
async function check(verify: Verify, request: NodeRequest, requirements?: Requirements) {
  const result = await verify(request, requirements)
  return result.ok ? rememberCaller(request, result.caller) : presentRefusal(result.refusal)
}

/** Express middleware: answers 401, 403 or 503, or passes. Then `callerOf(request)` returns the caller. */
export const guardExpress =
  (verify: Verify, requirements?: Requirements) =>
  async (request: NodeRequest, response: ExpressResponse, next: () => void): Promise<void> => {
    const refused = await check(verify, request, requirements)
    if (refused) response.status(refused.status).set(refused.headers).json(refused.body)
    else next()
  }

/** Fastify `onRequest` hook: answers 401, 403 or 503, or passes. Then `callerOf(request)` returns the caller. */
export const guardFastify =
  (verify: Verify, requirements?: Requirements) =>
  async (request: NodeRequest, reply: FastifyReply): Promise<unknown> => {
    const refused = await check(verify, request, requirements)
    return refused && reply.code(refused.status).headers(refused.headers).send(refused.body)
  }

/** Hono middleware: answers 401, 403 or 503, or passes. Then `callerOf(context)` returns the caller. */
export const guardHono =
  (verify: Verify, requirements?: Requirements) =>
  async (context: { req: { raw: Request } }, next: () => Promise<void>): Promise<Response | undefined> => {
    const result = await verify(context.req.raw, requirements)
    if (!result.ok) return refusalResponse(result.refusal)
    rememberCaller(context, result.caller)
    await next()
    return undefined
  }

/**
 * Returns the caller in a loader or action of Remix, or a route handler of the Fetch standard.
 * @throws {Response} the 401, 403 or 503 that answers the request. Remix sends it.
 */
export async function requireCaller(verify: Verify, request: Request, requirements?: Requirements): Promise<Caller> {
  const result = await verify(request, requirements)
  if (!result.ok) throw refusalResponse(result.refusal)
  return result.caller
}

/** Wraps a route handler of Next: answers 401, 403 or 503, or calls it with the caller. */
export const withCaller =
  <Incoming extends Request, Context>(
    verify: Verify,
    requirements: Requirements,
    handler: (request: Incoming, caller: Caller, context: Context) => Response | Promise<Response>,
  ) =>
  async (request: Incoming, context: Context): Promise<Response> => {
    const result = await verify(request, requirements)
    return result.ok ? handler(request, result.caller, context) : refusalResponse(result.refusal)
  }
