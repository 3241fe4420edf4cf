import { useLocation } from '@remix-run/react'
import type { ReactNode } from 'react'
import { ButtonLink } from '#app/components/button.tsx'
import type { PageError } from '#app/form-result.ts'
import { withTarget } from '#app/redirect-target.ts'
import { useText } from '#app/text.ts'

type ReauthenticateLinkProps = {
  /** Where the person comes back to: this page by default. */
  redirectTo?: string | undefined
  /** The page that asks, with what it requires. */
  path?: string | undefined
}

/** Stands in place of a form that would be refused: a sentence, and a link to confirm who you are. */
export function ReauthenticationGate({ redirectTo, path, children }: ReauthenticateLinkProps & { children: ReactNode }) {
  return (
    <div className="grid justify-items-start gap-3 rounded-md bg-sunken px-4 py-4">
      <p className="text-pretty">{children}</p>
      <ReauthenticateLink redirectTo={redirectTo} path={path} />
    </div>
  )
}

/** The same link with a refusal, for a proof that became too old after the form was shown. Nothing with any other refusal. */
export const reauthenticateLink = (error: PageError | null | undefined, { redirectTo, path }: ReauthenticateLinkProps = {}) =>
  error?.key === 'SESSION_NOT_FRESH' && <ReauthenticateLink redirectTo={redirectTo} path={path} />

function ReauthenticateLink({ redirectTo, path = '/reauthenticate' }: ReauthenticateLinkProps) {
  const text = useText('reauthenticate')
  const { pathname } = useLocation()
  return (
    <ButtonLink to={withTarget(path, redirectTo ?? pathname)} look="secondary">
      {text.title}
    </ButtonLink>
  )
}
