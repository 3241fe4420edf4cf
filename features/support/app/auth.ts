import { passkeyClient } from '@better-auth/passkey/client'
import type { FloorpassAuth } from '@floorpass/client'
import { inferAdditionalFields, jwtClient, organizationClient, twoFactorClient } from 'better-auth/client/plugins'
import { createAuthClient } from 'better-auth/react'

export const { VITE_SERVICE_URL: service, VITE_API_URL: api } = import.meta.env

/** better-auth's client as its documentation shows it. */
export const auth = createAuthClient({
  baseURL: service,
  basePath: '/auth',
  plugins: [
    inferAdditionalFields<FloorpassAuth>(),
    twoFactorClient({ twoFactorPage: '/code' }),
    organizationClient(),
    jwtClient(),
    passkeyClient(),
  ],
})

export type RiskLevel = typeof auth.$Infer.Session.user.riskLevel

/** An absolute URL, since a path would be one of the service. */
export const here = (path: string): string => new URL(path, location.origin).href

/** Not in better-auth: proves again who the person is, where an act answers SESSION_NOT_FRESH. */
export const reauthenticate = (password: string) => auth.$fetch('/reauthenticate', { method: 'POST', body: { password } })

/** Calls the application's own backend with an access token for it. */
export async function callApi(audience: string) {
  const { data, error } = await auth.token({ query: { audience } })
  if (error) return { data: null, error }
  const answer = await fetch(api, { headers: { authorization: `Bearer ${data.token}` } })
  return answer.ok ? { data: await answer.json(), error: null } : { data: null, error: { code: `API ${answer.status}` } }
}
