import { type Api, toAppError, withParameter } from '@floorpass/api'
import { startSocialInput } from '@floorpass/api/contracts'
import { redirectTo } from '../http/respond.ts'

/** GET /auth/sign-in/social: a link's way to a provider. One that does not answer leads to the page that says so. */
export async function followSocialStart(api: Api, query: unknown): Promise<Response> {
  const input = startSocialInput.parse(query)
  try {
    return redirectTo((await api.signIn.startSocial(input)).url)
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.key !== 'PROVIDER_UNAVAILABLE') throw error
    return redirectTo(withParameter(input.errorCallbackURL ?? '/login', 'error', 'provider_unavailable'))
  }
}
