import { AppError, type ErrorKey } from './errors.ts'
import { rootRelativePath } from './fields.ts'

/**
 * Refuses a redirect target outside the service: it must be a root-relative path, or an absolute URL on a trusted origin. The
 * URL is parsed and its origin compared whole; nothing is matched on the raw text.
 */
export function assertRedirectTarget(target: string | undefined, trustedOrigins: readonly string[], refusal: ErrorKey): void {
  if (target === undefined || rootRelativePath(target) !== null) return
  if (!/^https?:\/\/[^\s\\]+$/i.test(target) || !target.isWellFormed() || !URL.canParse(target)) throw new AppError(refusal)
  const url = new URL(target)
  if (url.username !== '' || url.password !== '' || !trustedOrigins.includes(url.origin)) throw new AppError(refusal)
}

/** Adds to a target's query without touching the rest; a root-relative target stays one. */
export function withParameter(target: string, name: string, value: string): string {
  const [beforeHash = '', ...hash] = target.split('#')
  const separator = beforeHash.includes('?') ? '&' : '?'
  return [`${beforeHash}${separator}${name}=${encodeURIComponent(value)}`, ...hash].join('#')
}
