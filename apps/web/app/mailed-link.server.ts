import { tryCall } from '#app/api.server.ts'
import { isDeadLink, type PageError } from '#app/form-result.ts'
import type { Locale } from '#app/text.ts'

type MailedLink<Answer> = { token: string; answer: Answer | null; refusal: PageError | null }

/** The token of a mailed link, and what `check` answers about it. A link that does not work has an empty token. */
export async function readMailedLink<Answer>(
  url: URL,
  locale: Locale,
  check: (token: string) => Promise<Answer>,
): Promise<MailedLink<Answer>> {
  const token = url.searchParams.get('token') ?? ''
  if (token === '') return { token, answer: null, refusal: null }
  const { answer, refusal } = await tryCall(check(token), locale)
  return { token: isDeadLink(refusal) ? '' : token, answer, refusal }
}
