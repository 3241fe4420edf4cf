import { PassThrough } from 'node:stream'
import {
  type AppLoadContext,
  createReadableStreamFromReadable,
  type EntryContext,
  type LoaderFunctionArgs,
} from '@remix-run/node'
import { isRouteErrorResponse, RemixServer } from '@remix-run/react'
import { renderToPipeableStream } from 'react-dom/server'
import { NonceContext } from '#app/nonce.ts'
import { LocaleContext, loadText } from '#app/text.ts'

await loadText('en', 'door')
await loadText('en', 'inside')
await loadText('fr', 'door')
await loadText('fr', 'inside')

/** No page defers data, so the document is sent whole: a failure while rendering still gets its own status and page. */
export default function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  { cspNonce: nonce, locale }: AppLoadContext,
): Promise<Response> {
  headers.set('Content-Type', 'text/html; charset=utf-8')
  return new Promise((resolve, reject) => {
    const { pipe } = renderToPipeableStream(
      <NonceContext.Provider value={nonce}>
        <LocaleContext.Provider value={locale}>
          <RemixServer context={remixContext} url={request.url} nonce={nonce} />
        </LocaleContext.Provider>
      </NonceContext.Provider>,
      {
        nonce,
        onAllReady() {
          const body = new PassThrough()
          resolve(new Response(createReadableStreamFromReadable(body), { status, headers }))
          pipe(body)
        },
        onShellError: reject,
      },
    )
  })
}

/** What no page expected, in the service's log; a request that its own browser gave up is nobody's failure. */
export function handleError(error: unknown, { context, request }: LoaderFunctionArgs): void {
  const isRefusal = isRouteErrorResponse(error) && error.status < 500
  // The framework's own refusal (403) of an address that its single-fetch pages never ask for comes as a plain Error.
  const isOldFetch = new URL(request.url).searchParams.has('_data')
  if (!request.signal.aborted && !isRefusal && !isOldFetch) context.log.error({ err: error }, 'a page failed')
}
