import { type Api, toAppError, withParameter } from '@floorpass/api'
import { resetLinkInput } from '@floorpass/api/contracts'
import { redirectTo } from '../http/respond.ts'

/** GET /auth/reset-password: redirects to a trusted front end with the token, or with `?error=<code>`. The token stays valid. */
export async function followResetLink(api: Api, query: unknown): Promise<Response> {
  const { token, callbackURL } = resetLinkInput.parse(query)
  try {
    await api.passwords.checkResetLink({ token, callbackURL })
    return redirectTo(withParameter(callbackURL, 'token', token))
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.key !== 'INVALID_TOKEN' && error.key !== 'TOKEN_EXPIRED') throw error
    return redirectTo(withParameter(callbackURL, 'error', error.key))
  }
}
