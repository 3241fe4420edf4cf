import { AppError, type ErrorKey } from './errors.ts'
import { headerSafe, longestTarget } from './fields.ts'

/** Returns a target that a person may be sent to: a root-relative path, or an absolute URL on a trusted origin. Otherwise null. */
export function findRedirectTarget(target: unknown, trustedOrigins: readonly string[]): string | null {
  const path = rootRelativePath(target)
  if (path !== null || typeof target !== 'string' || target.length > longestTarget) return path
  if (!/^https?:\/\/[^\s\\]+$/i.test(target) || !target.isWellFormed() || !URL.canParse(target)) return null
  const url = new URL(target)
  return url.username + url.password === '' && trustedOrigins.includes(url.origin) ? url.href : null
}

export function assertRedirectTarget(target: string | undefined, trustedOrigins: readonly string[], refusal: ErrorKey): void {
  if (target !== undefined && findRedirectTarget(target, trustedOrigins) === null) throw new AppError(refusal)
}

/** Returns a path on this origin, else null. Refuses every spelling that some browser or router reads as another host. */
function rootRelativePath(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > longestTarget || !/^\/(?![/\\])/.test(value)) return null
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
  if (/[\u0000-\u001f\u007f\\]/.test(value) || !value.isWellFormed()) return null
  const path = value.split(/[?#]/, 1)[0] ?? ''
  if (/%(2f|5c|0[0-9a-f]|1[0-9a-f])/i.test(path) || path.includes('//')) return null
  const origin = 'http://floorpass.invalid'
  return URL.canParse(value, origin) && new URL(value, origin).origin === origin ? headerSafe(value) : null
}

export function withParameter(target: string, name: string, value: string): string {
  const [beforeHash = '', ...hash] = target.split('#')
  const separator = beforeHash.includes('?') ? '&' : '?'
  return [`${beforeHash}${separator}${name}=${encodeURIComponent(value)}`, ...hash].join('#')
}
