import type { ReactNode } from 'react'
import { reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import type { FormFailure, FormResult } from '#app/form-result.ts'

/** What each form of an organization's page needs: props by intent, and the hidden field that names the organization. */
export type OrganizationForms = {
  form: (intent: string) => { action: string; intent: string; failure: FormFailure | undefined; remedy: ReactNode }
  hidden: ReactNode
}

export const organizationForms = (id: string, action: string, result: FormResult): OrganizationForms => ({
  form: (intent) => ({
    action,
    intent,
    failure: result?.error && result.typed.intent === intent ? result : undefined,
    remedy: result?.error && reauthenticateLink(result.error),
  }),
  hidden: <input type="hidden" name="organizationId" value={id} />,
})

export const pathOfOrganization = (slug: string, page = ''): string => `/settings/organizations/${slug}${page && `/${page}`}`
