import type { ReactNode } from 'react'
import { Alert } from '#app/components/alert.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import type { FormFailure } from '#app/form-result.ts'

type Result = FormFailure | { done: string; error?: undefined; typed?: undefined } | undefined

/** What each form of an organization's page needs: props by intent, and the hidden field that names the organization. */
export type OrganizationForms = {
  form: (intent: string) => { action: string; intent: string; failure: FormFailure | undefined; remedy: ReactNode }
  hidden: ReactNode
}

export const organizationForms = (id: string, action: string, result: Result): OrganizationForms => ({
  form: (intent) => ({
    action,
    intent,
    failure: result?.error && result.typed.intent === intent ? result : undefined,
    remedy: result?.error && reauthenticateLink(result.error),
  }),
  hidden: <input type="hidden" name="organizationId" value={id} />,
})

export const pathOfOrganization = (slug: string, page = ''): string => `/settings/organizations/${slug}${page && `/${page}`}`

type ResultAlertProps = {
  result: Result
  /** Of the forms that the page shows. The form that was sent may be gone by now: then the failure stands here. */
  intents: readonly string[]
  /** Changes with what the forms change, so that each success is announced. */
  version: string
}

export function ResultAlert({ result, intents, version }: ResultAlertProps) {
  if (!result) return null
  if (!result.error)
    return (
      <Alert key={version} look="success" landing>
        {result.done}
      </Alert>
    )
  if (intents.includes(result.typed.intent ?? '')) return null
  return <FormErrors error={{ ...result.error, fields: {} }} remedy={reauthenticateLink(result.error)} />
}
