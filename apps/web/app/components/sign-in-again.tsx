import { SubmitButton } from '#app/components/button.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import type { PageError } from '#app/form-result.ts'

const formId = 'sign-in-again'

const text = { signInAgain: 'Sign in again' }

/** The way out of a refusal that asks for a recent sign-in; nothing for any other. It sends the form below: forms do not nest. */
export const signInAgain = (error: PageError | null | undefined) =>
  error?.key === 'SESSION_NOT_FRESH' && (
    <SubmitButton form={formId} look="secondary">
      {text.signInAgain}
    </SubmitButton>
  )

export function SignInAgainForm({ redirectTo }: { redirectTo: string }) {
  return (
    <PageForm id={formId} action="/logout" reloadDocument className="hidden">
      <input type="hidden" name="redirectTo" value={redirectTo} />
    </PageForm>
  )
}
