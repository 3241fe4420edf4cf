import type { Hono } from 'hono'
import type { EdgeEnv } from '../edge-types.ts'
import { staticPagePolicy } from '../http/secure-headers.ts'
import type { OpenapiDocument } from '../rest/openapi.ts'
import { pageFiles } from './page-files.ts'
import { referencePage } from './reference-page.ts'

/** Serves /auth/reference and the two files that it loads. */
export function addReference(app: Hono<EdgeEnv>, getDocument: () => OpenapiDocument): void {
  let page: string | undefined
  app.get('/auth/reference', async (c) => {
    page ??= String(await referencePage(getDocument()))
    c.set('contentSecurityPolicy', staticPagePolicy)
    return c.html(page)
  })
  for (const [path, { type, read }] of Object.entries(pageFiles)) {
    let text: string | undefined
    app.get(path, (c) => {
      text ??= read()
      return c.body(text, 200, { 'content-type': type })
    })
  }
}
