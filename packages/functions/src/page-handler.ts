import { randomBytes } from 'node:crypto'
import { createCaller, findRedirectTarget, findSignInMethod, type Settings } from '@floorpass/api'
import type { Handler } from 'hono'
import { brandStyle } from './brand-style.ts'
import type { EdgeService } from './edge-service.ts'
import type { EdgeEnv, PageBrand, Pages } from './edge-types.ts'
import { requestCookies } from './http/cookies.ts'
import { carryEmail, dropCarriedEmail, getCarriedEmail } from './http/email-cookie.ts'
import { localeCookie, spokenLocale } from './http/locale.ts'
import { pagePolicy } from './http/secure-headers.ts'
import { readThemeCookie, themeCookie } from './http/theme.ts'

export function createPageHandler({ deps, outbox }: EdgeService, pages: Pages): Handler<EdgeEnv> {
  const { settings, providers } = deps
  // Chromium applies form-action to redirects too: a form may redirect to a provider or to the target.
  const providerOrigins = [...providers.values()].map(({ origin }) => origin)
  const findTarget = (target: string | null) => findRedirectTarget(target, settings.trustedOrigins)
  const brand = toPageBrand(settings.brand)
  return async (c) => {
    const cspNonce = randomBytes(16).toString('base64')
    const query = new URL(c.req.url).searchParams
    const redirectTo = findTarget(query.get('redirectTo') ?? query.get('callbackURL'))
    const targetOrigin = redirectTo !== null && URL.canParse(redirectTo) ? [new URL(redirectTo).origin] : []
    c.set('contentSecurityPolicy', pagePolicy(cspNonce, [...providerOrigins, ...targetOrigin]))
    const context = c.get('context')
    return pages(c.req.raw, {
      api: createCaller(context),
      cspNonce,
      locale: await spokenLocale(context),
      rememberLocale: (locale) => context.cookies.set(localeCookie(locale, settings.cookie.secure)),
      theme: readThemeCookie(requestCookies(c.req.header('cookie') ?? null), settings.cookie.secure),
      rememberTheme: (theme) => context.cookies.set(themeCookie(theme, settings.cookie.secure)),
      carryEmail: (email) => carryEmail(context, email),
      carriedEmail: getCarriedEmail(context),
      dropCarriedEmail: () => dropCarriedEmail(context),
      appName: settings.appName,
      supportUrl: settings.supportUrl,
      brand,
      localMailbox: outbox !== null,
      redirectTo,
      findTarget,
      providers: [...providers.values()].map(({ id, name }) => ({ id, name })),
      passkeys: settings.passkeys !== null,
      lastMethod: findSignInMethod(context),
      log: context.log,
    })
  }
}

const logoHeight = 28

const toPageBrand = ({ logo, icon, accent, termsUrl, privacyUrl }: Settings['brand']): PageBrand => {
  const ratio = logo?.size ? logo.size.width / logo.size.height : 1
  return {
    logo: logo && { src: logo.path, width: Math.round(logoHeight * ratio), height: logoHeight, isWordmark: ratio > 2 },
    icon: icon && { href: icon.path, type: icon.type },
    stylesheet: accent && brandStyle(accent).path,
    termsUrl,
    privacyUrl,
  }
}
