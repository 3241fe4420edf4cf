import { type Deps, sessionCookieName } from '@floorpass/api'
import { type OpenapiDocument, openapiDocument } from './openapi.ts'
import { activeRoutes } from './routes.ts'

/** Returns a getter of the OpenAPI document. The first call builds it: at the start it would take longer than all other routes. */
export function createApiDocument({ providers, settings }: Pick<Deps, 'providers' | 'settings'>): () => OpenapiDocument {
  let document: OpenapiDocument | undefined
  return () => {
    document ??= openapiDocument(activeRoutes(new Set(providers.keys())), {
      ...settings,
      cookieName: sessionCookieName(settings.cookie),
    })
    return document
  }
}
