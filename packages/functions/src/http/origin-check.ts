import { AppError } from '@floorpass/api'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Refuses a state-changing request from another site's page (CSRF, and login CSRF without a cookie). Programs send no Origin, Referer
 * or cookie, and pass. INVALID_ORIGIN, MISSING_OR_NULL_ORIGIN. */
export function assertTrustedOrigin({ method, headers }: Request, trustedOrigins: readonly string[]): void {
  if (safeMethods.has(method)) return
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  if (origin !== null && origin !== 'null') {
    if (!trustedOrigins.includes(origin)) throw new AppError('INVALID_ORIGIN')
    return
  }
  // Browsers send `Origin: null` from pages with `Referrer-Policy: no-referrer`. No page can forge Sec-Fetch-Site.
  if (site === 'same-origin') return
  if (origin === 'null') throw new AppError('MISSING_OR_NULL_ORIGIN')
  const referer = headers.get('referer')
  if (referer !== null) {
    if (!URL.canParse(referer) || !trustedOrigins.includes(new URL(referer).origin)) throw new AppError('INVALID_ORIGIN')
    return
  }
  if (site !== null || headers.has('cookie')) throw new AppError('MISSING_OR_NULL_ORIGIN')
}
