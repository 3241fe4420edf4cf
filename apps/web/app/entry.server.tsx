import { randomUUID } from 'node:crypto'
import type { AppLoadContext, EntryContext, LoaderFunctionArgs } from '@remix-run/node'
import { isRouteErrorResponse, RemixServer } from '@remix-run/react'
import { renderToString } from 'react-dom/server'
import { NonceContext } from '#app/nonce.ts'
import { LocaleContext, loadText } from '#app/text.ts'

await loadText('en', 'auth')
await loadText('en', 'app')
await loadText('fr', 'auth')
await loadText('fr', 'app')

/**
 * No page defers data, so the document is made in one go: that costs less than a stream, and a failure while rendering still gets its own
 * status and page.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  { cspNonce, locale }: AppLoadContext,
): Promise<Response> {
  headers.set('Content-Type', 'text/html; charset=utf-8')
  const data = await dataOf(remixContext)
  const context = { ...remixContext, renderMeta: { streamCache: { 0: Object.assign(Promise.resolve(), { result: data }) } } }
  const render = (nonce: string) =>
    `<!DOCTYPE html>${renderToString(
      <NonceContext.Provider value={nonce}>
        <LocaleContext.Provider value={locale}>
          <RemixServer context={context} url={request.url} nonce={nonce} />
        </LocaleContext.Provider>
      </NonceContext.Provider>,
    )}`
  // Without a cookie and a query the page is the same for every visitor, and holds no link token.
  const isStranger = request.method === 'GET' && status === 200 && !request.headers.has('cookie') && !request.url.includes('?')
  const html = isStranger ? fromMemory(`${locale} ${request.url} ${data.value}`, cspNonce, render) : render(cspNonce)
  return new Response(html, { status, headers })
}

/** The data of the page's loaders read to its end, as the document tells it to the browser: where Remix finds it, it renders without waiting. */
async function dataOf({ serverHandoffStream }: EntryContext): Promise<{ done: true; value: string }> {
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

const documents = new Map<string, string[]>()
const mostDocuments = 100
/** Stands for the nonce in what is kept; nothing that a request brings can name it. */
const nonceMark = randomUUID()

/**
 * A document is a function of its address, its language, its data and its nonce: were it of anything else, the browser could not hydrate
 * it. So where the first three were seen before, only the nonce is new.
 */
function fromMemory(key: string, nonce: string, render: (nonce: string) => string): string {
  const parts = documents.get(key) ?? render(nonceMark).split(nonceMark)
  documents.delete(key)
  documents.set(key, parts)
  const [oldest] = documents.keys()
  if (documents.size > mostDocuments && oldest !== undefined) documents.delete(oldest)
  return parts.join(nonce)
}

/** Logs what no page expected, unless the browser gave up the request. */
export function handleError(error: unknown, { context, request }: LoaderFunctionArgs): void {
  const isRefusal = isRouteErrorResponse(error) && error.status < 500
  if (!request.signal.aborted && !isRefusal) context.log.error({ err: error }, 'a page failed')
}
