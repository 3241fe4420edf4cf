import { z } from 'zod'
import { emailAddress } from '../../kernel/fields.ts'
import { ProviderError, type SocialProvider } from '../../social/social-provider.ts'
import { authorizationUrl, exchangeCode, type ProviderCredentials } from './oauth-client.ts'
import { requestJson } from './provider-request.ts'

type GitHubOptions = ProviderCredentials & { url: string; apiUrl: string }

const profile = z.object({
  id: z.number().int(),
  login: z.string(),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
})
const addresses = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))

/** GitHub: OAuth 2 with PKCE. The address is the primary one of /user/emails: the profile's own may be unverified, or anybody's. */
export function createGitHub(options: GitHubOptions): SocialProvider {
  return {
    id: 'github',
    name: 'GitHub',
    origin: new URL(options.url).origin,
    issuer: null,
    async authorizationUrl(attempt, { scopes, loginHint, reauthenticate }) {
      const url = authorizationUrl(options, `${options.url}/login/oauth/authorize`, attempt, [
        'read:user',
        'user:email',
        ...scopes,
      ])
      if (loginHint !== undefined) url.searchParams.set('login', loginHint)
      // GitHub cannot ask for the password again; its account picker at least requires a click.
      if (reauthenticate) url.searchParams.set('prompt', 'select_account')
      return url
    },
    async identify(code, attempt) {
      const { idToken: _none, ...tokens } = await exchangeCode(options, `${options.url}/login/oauth/access_token`, code, attempt)
      const [user, emails] = await Promise.all([
        ask(options, '/user', tokens.accessToken, profile),
        ask(options, '/user/emails?per_page=100', tokens.accessToken, addresses),
      ])
      const primary = emails.find((address) => address.primary)
      const email = emailAddress.safeParse(primary?.email)
      return {
        subject: String(user.id),
        email: email.success ? email.data : null,
        emailVerified: primary?.verified === true,
        name: user.name ?? user.login,
        image: user.avatar_url ?? null,
        authenticatedAt: null,
        tokens,
      }
    },
  }
}

async function ask<Shape>({ apiUrl }: GitHubOptions, path: string, accessToken: string, shape: z.ZodType<Shape>): Promise<Shape> {
  const headers = { accept: 'application/vnd.github+json', authorization: `Bearer ${accessToken}`, 'user-agent': 'floorpass' }
  const { status, body } = await requestJson(`${apiUrl}${path}`, { headers })
  const answer = shape.safeParse(body)
  if (status !== 200 || !answer.success)
    throw new ProviderError('unavailable', `${path} answered ${status}, or not what was expected`)
  return answer.data
}
