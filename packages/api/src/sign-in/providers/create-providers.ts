import type { ProviderId } from '../../kernel/provider-ids.ts'
import type { SocialProvider, SocialProviders } from '../../social/social-provider.ts'
import { createGitHub } from './github.ts'
import { createGoogle } from './google.ts'

export type SocialConfig = {
  google: { clientId: string; clientSecret: string; issuer: string } | null
  github: { clientId: string; clientSecret: string; url: string; apiUrl: string } | null
}

export function createSocialProviders({ google, github }: SocialConfig, baseUrl: string): SocialProviders {
  const redirectUri = (id: ProviderId) => `${baseUrl}/auth/callback/${id}`
  const providers: SocialProvider[] = []
  if (google) providers.push(createGoogle({ ...google, redirectUri: redirectUri('google') }))
  if (github) providers.push(createGitHub({ ...github, redirectUri: redirectUri('github') }))
  return new Map(providers.map((provider) => [provider.id, provider]))
}
