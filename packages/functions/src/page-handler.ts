import { randomBytes } from 'node:crypto'
import { createCaller } from '@floorpass/api'
import type { Handler } from 'hono'
import type { EdgeService } from './edge-service.ts'
import type { EdgeEnv, Pages } from './edge-types.ts'
import { localeCookie, spokenLocale } from './http/locale.ts'
import { pagePolicy } from './http/secure-headers.ts'

export function createPageHandler({ deps, outbox }: EdgeService, pages: Pages): Handler<EdgeEnv> {
  const { settings, providers } = deps
  // Chromium applies form-action to redirects too, and the form that links an account redirects to a provider.
  const formTargets = [...providers.values()].map(({ origin }) => origin)
  return async (c) => {
    const cspNonce = randomBytes(16).toString('base64')
    c.set('contentSecurityPolicy', pagePolicy(cspNonce, formTargets))
    const context = c.get('context')
    return pages(c.req.raw, {
      api: createCaller(context),
      cspNonce,
      locale: await spokenLocale(context),
      rememberLocale: (locale) => context.cookies.set(localeCookie(locale, settings.cookie.secure)),
      appName: settings.appName,
      localMailbox: outbox !== null,
      providers: [...providers.values()].map(({ id, name }) => ({ id, name })),
      log: context.log,
    })
  }
}
