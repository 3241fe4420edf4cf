import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export type OpenIdPerson = { sub: string; email?: string; email_verified?: boolean; name?: string; picture?: string } & Record<
  string,
  unknown
>

export type OpenIdProvider = {
  issuer: string
  environment: { GOOGLE_CLIENT_ID: string; GOOGLE_CLIENT_SECRET: string; GOOGLE_ISSUER: string }
  /** The user who signs in at the provider; null denies consent. */
  person: OpenIdPerson | null
  /** Every token that was issued. */
  issued: string[]
  close(): Promise<void>
}

const clientId = 'floorpass-tests'
const clientSecret = 'a client secret of tests only'

/** A real OpenID provider on loopback in place of Google. Requires PKCE and grants every sign-in to `person`. */
export async function startOpenIdProvider(redirectUri: string): Promise<OpenIdProvider> {
  const server = createServer()
  const { port } = await listen(server)
  const issuer = `http://127.0.0.1:${port}`
  const people = new Map<string, OpenIdPerson>()
  const state: OpenIdProvider = {
    issuer,
    environment: { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret, GOOGLE_ISSUER: issuer },
    person: null,
    issued: [],
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  }

  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture', 'role', 'tradingEnabled', 'id'] },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ ...people.get(accountId), sub: accountId }) }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['only tests use this'] },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new provider.Grant({ accountId: oidc.session?.accountId ?? '', clientId: oidc.client?.clientId ?? '' })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  provider.on('grant.success', ({ body }) => {
    const tokens = body as Record<string, unknown>
    state.issued.push(
      ...[tokens.access_token, tokens.refresh_token, tokens.id_token].filter((token) => typeof token === 'string'),
    )
  })
  const answer = provider.callback()
  server.on('request', (request: IncomingMessage, response) => {
    if (!request.url?.startsWith('/interaction/')) return answer(request, response)
    const { person } = state
    if (person) people.set(person.sub, person)
    const result = person
      ? { login: { accountId: person.sub, remember: false } }
      : { error: 'access_denied', error_description: 'denied' }
    return provider.interactionFinished(request, response, result)
  })
  return state
}

const listen = (server: Server): Promise<AddressInfo> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address() as AddressInfo)))
