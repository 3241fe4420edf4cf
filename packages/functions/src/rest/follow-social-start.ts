import { type Api, toAppError, withParameter } from '@floorpass/api'
import { startSocialInput } from '@floorpass/api/contracts'
import { redirectTo } from '../http/respond.ts'

/** GET /auth/sign-in/social: a link's way to a provider. One that does not answer, or too many tries, lead to the page that says so. */
export async function followSocialStart(api: Api, query: unknown): Promise<Response> {
  const input = startSocialInput.parse(query)
  try {
    return redirectTo((await api.signIn.startSocial(input)).url)
  } catch (thrown) {
    const error = toAppError(thrown)
    // Counted before the targets were judged: ours, not the caller's.
    if (error.key === 'TOO_MANY_REQUESTS') return redirectTo('/login?error=too_many_requests')
    if (error.key !== 'PROVIDER_UNAVAILABLE') throw error
    return redirectTo(withParameter(input.errorCallbackURL ?? '/login', 'error', 'provider_unavailable'))
  }
}
