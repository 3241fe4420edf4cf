import { fileURLToPath } from 'node:url'
import { type PageContext, refusePage } from '@floorpass/functions'
import type { ServerBuild } from '@remix-run/node'
import { createPageHandler } from './page-handler.ts'

/** The folder of the built files for browsers, served under /assets. */
export const clientFiles = fileURLToPath(new URL('./build/client', import.meta.url))

/** Loads the built pages. Resolves to the function that answers a request with a page. */
export async function loadPages(): Promise<(request: Request, page: PageContext) => Promise<Response>> {
  const build = (await import(new URL('./build/server/index.js', import.meta.url).href)) as ServerBuild
  const answer = createPageHandler(build)
  return async (request, page) => {
    const { pathname, searchParams } = new URL(request.url)
    // No page uses Remix's old `_data` requests. They return what a loader or an action returned, unfiltered.
    if (searchParams.has('_data')) return refusePage(400)
    // No page has two slashes in a row. Remix takes half a second of the event loop for a path of 14,000 (ADR 028).
    if (pathname.includes('//')) return refusePage(404)
    // Remix compares Origin with Host, which proxies rewrite, and refuses `null`. The edge has checked it against TRUSTED_ORIGINS.
    request.headers.delete('origin')
    const response = await answer(request, page)
    // Remix's own refusals name our files.
    return response.headers.has('x-remix-error') ? refusePage(response.status) : response
  }
}
