// Copied from the API's contracts: importing them would bring zod to the browser.
const longestTarget = 2048

/** `path`, remembering where the person was going, unless it becomes too long to be a target itself. */
export function withTarget(path: string, redirectTo: string | null): string {
  if (redirectTo === null) return path
  const full = `${path}${path.includes('?') ? '&' : '?'}redirectTo=${encodeURIComponent(redirectTo)}`
  return full.length > longestTarget ? path : full
}
