/** Adds the security headers. Keeps headers that a handler has set. */
export function addSecureHeaders(
  headers: Headers,
  { https, contentSecurityPolicy }: { https: boolean; contentSecurityPolicy: string },
): void {
  const defaults: Record<string, string> = {
    'cache-control': 'no-store',
    'content-security-policy': contentSecurityPolicy,
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(https && { 'strict-transport-security': 'max-age=63072000; includeSubDomains' }),
  }
  for (const [name, value] of Object.entries(defaults)) if (!headers.has(name)) headers.set(name, value)
}

export const dataPolicy = "default-src 'none'; frame-ancestors 'none'"

export const pagePolicy = (nonce: string, formTargets: readonly string[]): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self' data: https:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    ["form-action 'self'", ...formTargets].join(' '),
    "frame-ancestors 'none'",
  ].join('; ')

/** An image that the operator chose. An SVG that is opened alone runs no script and asks for nothing. */
export const imagePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

/** A page without forms, images and calls: the reference. */
export const staticPagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
