import { FormErrors } from '#app/components/form-errors.tsx'
import type { RefusalText } from '#app/social-refusal.server.ts'
import { useText } from '#app/text.ts'

/** Why the provider sign-in failed, and what to do. Support asks for the code. */
export function ProviderRefusal({ code, happened, todo }: RefusalText) {
  const text = useText('providerRefusal')
  return (
    <FormErrors
      error={{ key: code ?? '', message: happened, fields: {}, retryAfter: null }}
      remedy={
        <>
          <p>{todo}</p>
          {code && (
            <p className="mt-2 text-sm text-ink-soft wrap-anywhere">
              {text.code} <code>{code}</code>
            </p>
          )}
        </>
      }
    />
  )
}
