import { serverTextIn } from '#app/text.server.ts'
import type { Locale } from '#app/text.ts'

export type RefusalText = {
  /** Null for one that we do not know: what stands in an address is not repeated on the page. */
  code: string | null
  happened: string
  todo: string
}

/** What `?error=` in the address says about a way through a provider that ended without success; null without one. */
export function socialRefusalOf(url: URL, locale: Locale): RefusalText | null {
  const code = url.searchParams.get('error')
  if (code === null) return null
  const { socialRefusals } = serverTextIn(locale)
  const known = code !== 'unknown' && Object.hasOwn(socialRefusals, code)
  const [happened, todo] = socialRefusals[known ? (code as keyof typeof socialRefusals) : 'unknown']
  return { code: known ? code : null, happened, todo }
}
