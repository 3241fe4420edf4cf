import { SubmitButton } from '#app/components/button.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import type { PageError } from '#app/form-result.ts'
import { useText } from '#app/text.ts'

const formId = 'sign-in-again'

/** The way out of a refusal that asks for a recent sign-in; nothing for any other. It sends the form below: forms do not nest. */
export const signInAgain = (error: PageError | null | undefined) => error?.key === 'SESSION_NOT_FRESH' && <SignInAgainButton />

function SignInAgainButton() {
  const text = useText('signInAgain')
  return (
    <SubmitButton form={formId} look="secondary">
      {text.signInAgain}
    </SubmitButton>
  )
}

export function SignInAgainForm({ redirectTo }: { redirectTo: string }) {
  return (
    <PageForm id={formId} action="/logout" reloadDocument className="hidden">
      <input type="hidden" name="redirectTo" value={redirectTo} />
    </PageForm>
  )
}
