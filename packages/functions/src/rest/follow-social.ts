import { type Api, type AppError, toAppError, withParameter } from '@floorpass/api'
import { finishSocialInput, startSocialInput } from '@floorpass/api/contracts'
import { redirectTo } from '../http/respond.ts'

/**
 * GET /auth/sign-in/social: a link's way to a provider. What goes wrong leads to a page that says so, but for a link that was
 * written wrongly. `scopes` count only in the POST: anybody can write a link.
 */
export async function followSocialStart(api: Api, query: unknown): Promise<Response> {
  const input = startSocialInput.parse(query)
  try {
    return redirectTo((await api.signIn.startSocial({ ...input, scopes: [] })).url)
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.key === 'PROVIDER_UNAVAILABLE')
      return redirectTo(withParameter(input.errorCallbackURL ?? '/login', 'error', 'provider_unavailable'))
    return toPage(error)
  }
}

/** GET /auth/callback/<provider>: the way back. A person stands behind it, so every failure but a bug of ours leads to a page. */
export async function followSocialCallback(api: Api, query: unknown): Promise<Response> {
  try {
    return redirectTo((await api.signIn.finishSocial(finishSocialInput.parse(query))).url)
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.key === 'VALIDATION_ERROR') return redirectTo('/login?error=state_mismatch')
    return toPage(error)
  }
}

/** Before the targets of the flow are known and judged: our own page. */
function toPage(error: AppError): Response {
  if (error.key === 'TOO_MANY_REQUESTS') return redirectTo('/login?error=too_many_requests')
  if (error.key === 'SERVICE_UNAVAILABLE' || error.key === 'SERVICE_BUSY') return redirectTo('/login?error=service_unavailable')
  throw error
}
