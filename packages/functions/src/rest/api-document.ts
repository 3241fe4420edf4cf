import { type Deps, sessionCookieName } from '@floorpass/api'
import { type OpenapiDocument, openapiDocument } from './openapi.ts'
import { activeRoutes } from './routes.ts'

/** Returns a getter of the OpenAPI document. The first call builds it: at the start it would take longer than all other routes. */
export function createApiDocument(deps: Pick<Deps, 'providers' | 'settings'>): () => OpenapiDocument {
  let document: OpenapiDocument | undefined
  return () => {
    document ??= openapiDocument(activeRoutes(deps), {
      ...deps.settings,
      cookieName: sessionCookieName(deps.settings.cookie),
    })
    return document
  }
}
