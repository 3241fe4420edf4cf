import { AppError, type ErrorKey } from './errors.ts'
import { rootRelativePath } from './fields.ts'

/** Throws `refusal` unless the target is a root-relative path or an absolute URL on a trusted origin. */
export function assertRedirectTarget(target: string | undefined, trustedOrigins: readonly string[], refusal: ErrorKey): void {
  if (target === undefined || rootRelativePath(target) !== null) return
  if (!/^https?:\/\/[^\s\\]+$/i.test(target) || !target.isWellFormed() || !URL.canParse(target)) throw new AppError(refusal)
  const url = new URL(target)
  if (url.username !== '' || url.password !== '' || !trustedOrigins.includes(url.origin)) throw new AppError(refusal)
}

export function withParameter(target: string, name: string, value: string): string {
  const [beforeHash = '', ...hash] = target.split('#')
  const separator = beforeHash.includes('?') ? '&' : '?'
  return [`${beforeHash}${separator}${name}=${encodeURIComponent(value)}`, ...hash].join('#')
}
