import { type Api, type AppError, toAppError, withParameter } from '@floorpass/api'
import { finishSocialInput, startSocialInput } from '@floorpass/api/contracts'
import { redirectTo } from '../http/respond.ts'

/** GET /auth/sign-in/social: redirects to a provider. Errors redirect to a page, but invalid input throws.
 * Ignores `scopes` and `additionalParams`: anyone can craft a link, so only the POST accepts them. */
export async function followSocialStart(api: Api, query: unknown): Promise<Response> {
  const input = startSocialInput.omit({ additionalParams: true }).parse(query)
  try {
    return redirectTo((await api.signIn.startSocial({ ...input, scopes: [] })).url)
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.key === 'PROVIDER_UNAVAILABLE')
      return redirectTo(withParameter(input.errorCallbackURL ?? '/login', 'error', 'provider_unavailable'))
    return redirectToErrorPage(error)
  }
}

/** GET /auth/callback/<provider>: a person comes back from the provider. Expected errors redirect to a page. */
export async function followSocialCallback(api: Api, query: unknown): Promise<Response> {
  try {
    return redirectTo((await api.signIn.finishSocial(finishSocialInput.parse(query))).url)
  } catch (thrown) {
    return redirectToErrorPage(toAppError(thrown))
  }
}

/** Redirects to our own page, since the flow's error URL is not validated yet. */
function redirectToErrorPage(error: AppError): Response {
  if (error.key === 'TOO_MANY_REQUESTS') return redirectTo('/login?error=too_many_requests')
  if (error.key === 'SERVICE_UNAVAILABLE' || error.key === 'SERVICE_BUSY') return redirectTo('/login?error=service_unavailable')
  throw error
}
