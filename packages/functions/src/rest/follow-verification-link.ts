import type { Api } from '@floorpass/api'
import { verifyEmailInput } from '@floorpass/api/contracts'
import { redirectTo } from '../http/respond.ts'

/** GET /auth/verify-email: verifies for a program. A browser, an email scanner or a HEAD gets the page with the button: a link must change nothing. */
export async function followVerificationLink(api: Api, query: unknown, request: Request): Promise<unknown> {
  const input = verifyEmailInput.parse(query)
  if (isNavigation(request)) return redirectTo(`/verify-email?${new URLSearchParams(query as Record<string, string>)}`)
  return api.emailAddress.verify(input)
}

const isNavigation = ({ method, headers }: Request): boolean =>
  method === 'HEAD' || headers.get('sec-fetch-mode') === 'navigate' || (headers.get('accept') ?? '').includes('text/html')
