import { AppError, catalogue, type ErrorKey, toAppError } from '@floorpass/api'
import type { PageContext } from '@floorpass/functions'
import { data, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { explain } from '#app/error-text.server.ts'
import type { FormFailure, PageError } from '#app/form-result.ts'
import { withTarget } from '#app/redirect-target.ts'
import { type ServerText, serverTextIn } from '#app/text.server.ts'
import { type Locale, type Text, textIn } from '#app/text.ts'

type PageArgs = Pick<LoaderFunctionArgs, 'request' | 'params'> & {
  api: PageContext['api']
  page: PageContext
  url: URL
  redirectTo: string | null
  text: Text
  notices: ServerText['notices']
}
type FormArgs = PageArgs & {
  field: (name: string) => string
  /** In base64. Null when the person chose none. */
  file: (name: string) => Promise<string | null>
}

/** A loader that may call the API. No session leads to /login and back; other failures reach the error boundary with their status. */
export function withApi<Result>(handler: (args: PageArgs) => Promise<Result>) {
  return async (args: LoaderFunctionArgs): Promise<Result> => {
    const page = pageArgs(args)
    try {
      return await handler(page)
    } catch (thrown) {
      const error = expectedError(thrown, page)
      throw data({ error }, initOf(error))
    }
  }
}

/** An action that may call the API. Failures come back to the form with the `kept` fields as they were typed: never list a secret there. */
export function withApiForm<Result extends object>(kept: readonly string[], handler: (args: FormArgs) => Promise<Result>) {
  return async (args: LoaderFunctionArgs): Promise<(Result & { error?: undefined; typed?: undefined }) | FormFailure> => {
    const page = pageArgs(args)
    const form = await args.request.formData().catch(() => {
      throw new Response(serverTextIn(page.page.locale).formUnreadable, { status: 400 })
    })
    const field = (name: string) => {
      const value = form.get(name)
      return typeof value === 'string' ? value : ''
    }
    const file = async (name: string) => {
      const value = form.get(name)
      return value instanceof File && value.size > 0 ? Buffer.from(await value.arrayBuffer()).toString('base64') : null
    }
    try {
      return await handler({ ...page, field, file })
    } catch (thrown) {
      const error = expectedError(thrown, page, (name) => form.has(name))
      const typed = Object.fromEntries(kept.map((name) => [name, field(name)]))
      // The status matters to machines only, so the type stays that of the body. A Response, since a route without a page loses the status of anything else.
      return Response.json({ error, typed }, initOf(error)) as unknown as FormFailure
    }
  }
}

/** The answer of a call, or the refusal where the page itself has something to say about it. A failure of ours is thrown on. `has` as in `explain`. */
export async function tryCall<Answer>(
  call: Promise<Answer>,
  locale: Locale,
  has?: (field: string) => boolean,
): Promise<{ answer: Answer; refusal: null } | { answer: null; refusal: PageError }> {
  try {
    return { answer: await call, refusal: null }
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.status >= 500) throw thrown
    return { answer: null, refusal: explain(error, locale, has) }
  }
}

/** Redirects to `signIn` when the call is UNAUTHORIZED. */
export const orSignIn = <Answer>(call: Promise<Answer>, signIn: string): Promise<Answer> =>
  call.catch((thrown: unknown) => {
    throw toAppError(thrown).key === 'UNAUTHORIZED' ? redirect(signIn) : thrown
  })

/** Work that a page can do without: an outage leaves it undone. */
export async function ignoreUnavailable(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (thrown) {
    if (toAppError(thrown).key !== 'SERVICE_UNAVAILABLE') throw thrown
  }
}

/** A refusal of the page's own about one of its boxes, in the person's language. */
export class FieldError extends Error {
  readonly fields: Record<string, string>

  constructor(name: string, message: string) {
    super(message)
    this.fields = { [name]: message }
  }
}

/** What the refusal of that key says; null when the catalogue has no such key. */
export const refusalNamed = (key: string, locale: Locale): PageError | null =>
  Object.hasOwn(catalogue, key) ? explain(new AppError(key as ErrorKey), locale) : null

function pageArgs({ context, params, request }: LoaderFunctionArgs): PageArgs {
  return {
    api: context.api,
    page: context,
    params,
    request,
    url: new URL(request.url),
    redirectTo: context.redirectTo,
    text: textIn(context.locale),
    notices: serverTextIn(context.locale).notices,
  }
}

function expectedError(
  thrown: unknown,
  { page, url }: PageArgs,
  hasField?: (name: string) => boolean,
): PageError & { status: number } {
  if (thrown instanceof Response) throw thrown
  const error = thrown instanceof FieldError ? new AppError('VALIDATION_ERROR') : toAppError(thrown)
  if (error.key === 'INTERNAL_SERVER_ERROR') throw thrown
  if (error.key === 'UNAUTHORIZED') throw redirect(withTarget('/login', url.pathname + url.search))
  const own = thrown instanceof FieldError && { fields: thrown.fields }
  return { ...explain(error, page.locale, hasField), ...own, status: error.status }
}

function initOf({ status, retryAfter }: { status: number; retryAfter: number | null }): ResponseInit {
  return { status, headers: retryAfter === null ? {} : { 'Retry-After': String(retryAfter) } }
}
