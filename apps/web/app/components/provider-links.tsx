import type { ReactNode } from 'react'
import { ButtonLink } from '#app/components/button.tsx'
import { LastUsed, lastUsedId } from '#app/components/last-used.tsx'
import { ProviderMark } from '#app/components/provider-mark.tsx'
import { withTarget } from '#app/redirect-target.ts'
import { useText } from '#app/text.ts'

type ProviderLinksProps = {
  providers: readonly { id: string; name: string }[]
  redirectTo: string | null
  /** The provider that this browser used last, and the words that say so. */
  lastUsed?: { method: string; badge: string } | null
  /** Another way, before the providers. */
  children?: ReactNode
}

/** A sign-in link for each provider. Links, not forms: the CSP also applies to a form's redirects. */
export function ProviderLinks({ providers, redirectTo, lastUsed = null, children }: ProviderLinksProps) {
  const text = useText('providerLinks')
  if (providers.length === 0 && !children) return null
  return (
    <div className="grid gap-3">
      <Or />
      {children}
      {providers.map(({ id, name }) => (
        <LastUsed key={id} badge={lastUsed?.method === id && lastUsed.badge}>
          <ButtonLink
            to={startOf(id, redirectTo)}
            look="provider"
            wide
            describedBy={lastUsed?.method === id ? lastUsedId : undefined}
            reloadDocument
          >
            <ProviderMark id={id} />
            {text.continueWith} {name}
          </ButtonLink>
        </LastUsed>
      ))}
    </div>
  )
}

/** The line between two ways to the same end. */
export function Or() {
  const text = useText('providerLinks')
  return (
    <p className="flex items-center gap-4 text-sm text-ink-soft before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
      {text.or}
    </p>
  )
}

function startOf(provider: string, redirectTo: string | null): string {
  const targets = { callbackURL: redirectTo ?? '/dashboard', errorCallbackURL: withTarget('/login', redirectTo) }
  return `/auth/sign-in/social?${new URLSearchParams({ provider, ...targets })}`
}
