import type { ReactNode } from 'react'
import type { FormFailure } from '#app/form-result.ts'

/** What each form of an organization's page needs: props by intent, and the hidden field that names the organization. */
export type OrganizationForms = {
  form: (intent: string) => { action: string; intent: string; failure: FormFailure | undefined; remedy: ReactNode }
  hidden: ReactNode
}
