import { SubmitButton } from '#app/components/button.tsx'
import { BackupCodeField, CodeField } from '#app/components/code-field.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasskeyButton } from '#app/components/passkey-button.tsx'
import { PasswordField } from '#app/components/password-field.tsx'
import { Or } from '#app/components/provider-links.tsx'
import type { FormFailure } from '#app/form-result.ts'
import { useText } from '#app/text.ts'

type OwnerProofProps = {
  action: string
  hasPassword: boolean
  takesPasskey: boolean
  hasTotp: boolean
  failure: FormFailure | undefined
  look?: 'primary' | 'danger'
  submit: string
}

/** Asks the owner for a passkey, the password or a code before a two-factor change. */
export function OwnerProof({ action, hasPassword, takesPasskey, hasTotp, failure, look = 'primary', submit }: OwnerProofProps) {
  const text = useText('ownerProof')
  const ofPasskey = failure?.typed.intent === 'passkey'
  return (
    <>
      {takesPasskey && (
        <>
          <PageForm action={action} intent="passkey" failure={ofPasskey ? failure : undefined}>
            <div>
              <PasskeyButton ceremony="authentication" look={look} fallback={text.withoutScript}>
                {submit} {text.withPasskey}
              </PasskeyButton>
            </div>
          </PageForm>
          <Or />
        </>
      )}
      <PageForm action={action} intent="proof" failure={ofPasskey ? undefined : failure}>
        {hasPassword && <PasswordField label={text.password} hint={text.hint} autoComplete="current-password" />}
        {!hasPassword && (hasTotp ? <CodeField /> : <BackupCodeField />)}
        <div>
          <SubmitButton look={takesPasskey ? 'secondary' : look}>{submit}</SubmitButton>
        </div>
      </PageForm>
    </>
  )
}
