/** `path`, remembering where the person was going. */
export function withTarget(path: string, redirectTo: string | null): string {
  return redirectTo === null ? path : `${path}?redirectTo=${encodeURIComponent(redirectTo)}`
}
