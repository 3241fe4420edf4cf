import { type Api, AppError, type Caller, type Deps, toAppError, validationError, withParameter } from '@floorpass/api'
import { headerSafe } from '@floorpass/api/contracts'
import { ZodError } from 'zod'
import { type Query, readQuery } from '../http/read-input.ts'
import { type Answer, errorAnswer } from '../http/respond.ts'

/** GET /auth/verify. Gateways understand only 200, 401 and 403. 503: the caller cannot be looked up. */
export async function answerVerify(api: Api, request: Request, { settings, logRarely }: VerifyDeps): Promise<Answer> {
  const query = readQuery(request)
  try {
    assertNoRepetition(query)
    return verifiedAnswer(await api.access.verify(query as never))
  } catch (thrown) {
    const error = toVerifyError(thrown)
    if (query.redirect === '1' && error.status === 401) return redirectAnswer(error, request, query, settings)
    if (error.key !== 'VALIDATION_ERROR') return errorAnswer(error)
    const reason = hasUsualNames(query) ? error.message.slice(0, 200) : 'a parameter has an unusual name'
    logRarely(`gateway request ${reason}`, { reason }, 'gateway request invalid: its callers are refused')
    return { ...errorAnswer(error), status: 403 }
  }
}

type VerifyDeps = Pick<Deps, 'settings' | 'logRarely'>

/** Every header, also without a value: a proxy that copies them overwrites what the caller sent. */
export const verifiedHeaders = (caller: Caller & { token?: string | null }): Record<string, string> => ({
  'x-auth-user': headerSafe(caller.userId),
  'x-auth-session': caller.sessionId,
  'x-auth-key': caller.keyId,
  'x-auth-org': headerSafe(caller.organization?.id ?? ''),
  'x-auth-role': caller.organization?.role ?? '',
  'x-auth-scopes': caller.scopes.join(' '),
  'x-auth-acr': caller.acr,
  'x-auth-amr': caller.amr.join(' '),
  'x-auth-time': String(Math.floor(caller.authTime.getTime() / 1000)),
  'x-auth-hold': caller.heldUntil ? String(Math.floor(caller.heldUntil.getTime() / 1000)) : '',
  'x-auth-token': caller.token ?? '',
})

export const verifiedAnswer = (caller: Caller & { token?: string | null }): Answer => ({
  status: 200,
  headers: { ...verifiedHeaders(caller), 'content-length': '0' },
  body: '',
})

/** A name from outside may hold a secret, which belongs in no log. */
const hasUsualNames = (query: Query): boolean => Object.keys(query).every((name) => /^[a-z_]{1,32}$/.test(name))

/** Of two values, readers differ about which one counts. */
function assertNoRepetition(query: Query): void {
  const repeated = Object.keys(query).find((name) => Array.isArray(query[name]))
  if (repeated !== undefined) throw new AppError('VALIDATION_ERROR', { message: `[query.${repeated}] The parameter is repeated` })
}

/** A rate limit says nothing about the caller, so answer 503, not 401 or 403. */
function toVerifyError(thrown: unknown): AppError {
  const error = toAppError(thrown)
  if (error.cause instanceof ZodError) return validationError(error.cause, 'query')
  return error.status === 429 ? new AppError('SERVICE_BUSY', { retryAfter: error.retryAfter ?? 1 }) : error
}

/** The page checks the target: it follows trusted origins only. */
function redirectAnswer(error: AppError, { headers }: Request, { acr, max_age }: Query, { baseUrl }: Deps['settings']): Answer {
  const [protocol, host, path] = ['proto', 'host', 'uri'].map((name) => headers.get(`x-forwarded-${name}`))
  const target = protocol && host && path ? `${protocol}://${host}${path}` : '/'
  const page =
    error.key === 'INSUFFICIENT_USER_AUTHENTICATION'
      ? Object.entries({ acr, max_age }).reduce(
          (path, [name, value]) => (value === undefined ? path : withParameter(path, name, String(value))),
          '/reauthenticate',
        )
      : '/login'
  const location = headerSafe(`${baseUrl}${withParameter(page, 'redirectTo', target)}`)
  return { status: 302, headers: { location }, body: '' }
}
