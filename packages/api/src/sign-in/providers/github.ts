import { z } from 'zod'
import { emailAddress } from '../../kernel/fields.ts'
import { ProviderError, type SocialProvider } from '../../social/social-provider.ts'
import { buildAuthorizationUrl, exchangeCode, type ProviderCredentials } from './oauth-client.ts'
import { requestJson } from './provider-request.ts'

type GitHubOptions = ProviderCredentials & { url: string; apiUrl: string }

const profileSchema = z.object({
  id: z.number().int(),
  login: z.string(),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
})
const emailsSchema = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))

/** Reads the email from /user/emails: the one in the profile may be unverified. */
export function createGitHub(options: GitHubOptions): SocialProvider {
  return {
    id: 'github',
    name: 'GitHub',
    origin: new URL(options.url).origin,
    issuer: null,
    async authorizationUrl(attempt, { scopes, loginHint, reauthenticate }) {
      const url = buildAuthorizationUrl(options, `${options.url}/login/oauth/authorize`, attempt, [
        'read:user',
        'user:email',
        ...scopes,
      ])
      if (loginHint !== undefined) url.searchParams.set('login', loginHint)
      // GitHub cannot force a new sign-in, but its account picker requires a click.
      if (reauthenticate) url.searchParams.set('prompt', 'select_account')
      return url
    },
    async identify(code, attempt) {
      const { idToken: _none, ...tokens } = await exchangeCode(options, `${options.url}/login/oauth/access_token`, code, attempt)
      const [user, emails] = await Promise.all([
        getJson(options, '/user', tokens.accessToken, profileSchema),
        getJson(options, '/user/emails?per_page=100', tokens.accessToken, emailsSchema),
      ])
      const primary = emails.find((entry) => entry.primary)
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

async function getJson<Shape>(
  { apiUrl }: GitHubOptions,
  path: string,
  accessToken: string,
  schema: z.ZodType<Shape>,
): Promise<Shape> {
  const headers = { accept: 'application/vnd.github+json', authorization: `Bearer ${accessToken}`, 'user-agent': 'floorpass' }
  const { status, body } = await requestJson(`${apiUrl}${path}`, { headers })
  const answer = schema.safeParse(body)
  if (status !== 200 || !answer.success)
    throw new ProviderError('unavailable', `unexpected answer from ${path}: status ${status}`)
  return answer.data
}
