/** The sentence that `?notice=` in the address names: what just happened, told by the page where the person lands. */
export function getNotice(url: URL, notices: Record<string, string>): string | null {
  const name = url.searchParams.get('notice') ?? ''
  return Object.hasOwn(notices, name) ? (notices[name] ?? null) : null
}
