import { locales } from '@floorpass/languages/locales'
import type { AppLoadContext, EntryContext, LoaderFunctionArgs } from '@remix-run/node'
import { isRouteErrorResponse, RemixServer } from '@remix-run/react'
import { renderToString } from 'react-dom/server'
import { NonceContext } from '#app/nonce.ts'
import { LocaleContext, loadText } from '#app/text.ts'

for (const locale of locales)
  for (const part of ['pages', 'app', 'mailed', 'administration'] as const) await loadText(locale, part)

/** No page defers data, so one call renders the document: a stream costs more, and could not change the status of a failed render. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  { cspNonce, locale }: AppLoadContext,
): Promise<Response> {
  headers.set('Content-Type', 'text/html; charset=utf-8')
  const data = await readData(remixContext)
  const context = { ...remixContext, renderMeta: { streamCache: { 0: Object.assign(Promise.resolve(), { result: data }) } } }
  const html = renderToString(
    <NonceContext.Provider value={cspNonce}>
      <LocaleContext.Provider value={locale}>
        <RemixServer context={context} url={request.url} nonce={cspNonce} />
      </LocaleContext.Provider>
    </NonceContext.Provider>,
  )
  return new Response(`<!DOCTYPE html>${html}`, { status, headers })
}

/** Reads all data of the loaders. With it in `streamCache`, Remix renders without waiting. */
async function readData({ serverHandoffStream }: EntryContext): Promise<{ done: true; value: string }> {
  const reader = serverHandoffStream?.getReader()
  const decoder = new TextDecoder()
  let value = ''
  for (;;) {
    const chunk = await reader?.read()
    if (!chunk || chunk.done) break
    value += decoder.decode(chunk.value, { stream: true })
  }
  reader?.releaseLock()
  return { done: true, value }
}

/** Logs unexpected errors, except those of requests that the browser aborted. */
export function handleError(error: unknown, { context, request }: LoaderFunctionArgs): void {
  const isRefusal = isRouteErrorResponse(error) && error.status < 500
  if (!request.signal.aborted && !isRefusal) context.log.error({ err: error }, 'page failed')
}
