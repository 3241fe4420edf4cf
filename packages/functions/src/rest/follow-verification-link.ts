import type { Api } from '@floorpass/api'
import { verifyEmailInput } from '@floorpass/api/contracts'
import { redirectTo } from '../http/respond.ts'

/**
 * GET /auth/verify-email. A program gets the answer of the POST. A browser, a mail scanner that acts like one, and a HEAD are sent to the
 * page with the button: following a link must not change anything.
 */
export async function followVerificationLink(api: Api, query: unknown, request: Request): Promise<unknown> {
  const input = verifyEmailInput.parse(query)
  if (isNavigation(request)) return redirectTo(`/verify-email?${new URLSearchParams(query as Record<string, string>)}`)
  return api.emailAddress.verify(input)
}

const isNavigation = ({ method, headers }: Request): boolean =>
  method === 'HEAD' || headers.get('sec-fetch-mode') === 'navigate' || (headers.get('accept') ?? '').includes('text/html')
