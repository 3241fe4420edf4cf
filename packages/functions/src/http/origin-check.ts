import { AppError } from '@floorpass/api'

/** better-auth's code for a cross-site form post to these paths, even from a trusted origin. */
const loginPaths = new Set(['/auth/sign-in/email', '/auth/sign-up/email'])

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Refuses a state-changing request from another site's page (CSRF, and login CSRF without a cookie). Programs send no Origin, Referer
 * or cookie, and pass. INVALID_ORIGIN, MISSING_OR_NULL_ORIGIN, CROSS_SITE_NAVIGATION_LOGIN_BLOCKED. */
export function assertTrustedOrigin({ method, headers, url }: Request, trustedOrigins: readonly string[]): void {
  if (safeMethods.has(method)) return
  const isTrusted = (origin: string) => trustedOrigins.includes(origin) || isOwnOrigin(origin, url, trustedOrigins)
  const site = headers.get('sec-fetch-site')
  const isForeignForm = site === 'cross-site' && headers.get('sec-fetch-mode') === 'navigate' && !headers.has('cookie')
  if (isForeignForm && loginPaths.has(new URL(url).pathname)) throw new AppError('CROSS_SITE_NAVIGATION_LOGIN_BLOCKED')
  const origin = headers.get('origin')
  if (origin !== null && origin !== 'null') {
    if (!isTrusted(origin)) throw new AppError('INVALID_ORIGIN')
    return
  }
  // Browsers send `Origin: null` from pages with `Referrer-Policy: no-referrer`. No page can forge Sec-Fetch-Site.
  if (site === 'same-origin') return
  if (origin === 'null') throw new AppError('MISSING_OR_NULL_ORIGIN')
  const referer = headers.get('referer')
  if (referer !== null) {
    if (!URL.canParse(referer) || !isTrusted(new URL(referer).origin)) throw new AppError('INVALID_ORIGIN')
    return
  }
  if (site !== null || headers.has('cookie')) throw new AppError('MISSING_OR_NULL_ORIGIN')
}

/** A page that a trusted proxy serves over https on a trusted host. Callers choose the Host, so the host alone proves nothing (ADR 005). */
function isOwnOrigin(origin: string, requestUrl: string, trustedOrigins: readonly string[]): boolean {
  const own = new URL(requestUrl)
  return (
    own.protocol === 'https:' && own.origin === origin && trustedOrigins.some((trusted) => new URL(trusted).host === own.host)
  )
}
