import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { CodeField } from '#app/components/code-field.tsx'
import { ExactMoment, type MomentWords } from '#app/components/moment.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasskeyButton } from '#app/components/passkey-button.tsx'
import { Or } from '#app/components/provider-links.tsx'
import type { FormFailure } from '#app/form-result.ts'
import { useText } from '#app/text.ts'

type ConfirmationFormsProps = {
  path: string
  method: 'none' | 'otp' | 'passkey'
  blockedBy: 'lock' | 'hold' | null
  heldUntil: MomentWords | null
  /** Of the passkey ceremony. Null without a passkey. */
  options: object | null
  hasPasskeys: boolean
  hasTotp: boolean
  failure: FormFailure | undefined
}

export function ConfirmationForms(props: ConfirmationFormsProps) {
  const text = useText('confirmation')
  const { path, blockedBy, failure } = props
  const rejection = failure?.typed.intent === 'reject' ? failure : undefined
  return (
    <>
      {blockedBy === null ? <Approval {...props} /> : <Blocked {...props} />}
      <PageForm action={path} intent="reject" failure={rejection}>
        <SubmitButton look="secondary" wide>
          {text.reject}
        </SubmitButton>
      </PageForm>
    </>
  )
}

function Blocked({ blockedBy, heldUntil }: ConfirmationFormsProps) {
  const text = useText('confirmation')
  return (
    <div className="grid justify-items-start gap-3 rounded-md bg-sunken px-4 py-4">
      {blockedBy === 'lock' || heldUntil === null ? (
        <p className="text-pretty">{text.locked}</p>
      ) : (
        <p className="text-pretty">
          {text.heldUntil} <ExactMoment {...heldUntil} />. {text.heldNote}
        </p>
      )}
      <ButtonLink to="/settings/protection" look="secondary">
        {text.protection}
      </ButtonLink>
    </div>
  )
}

function Approval({ path, method, options, hasPasskeys, hasTotp, failure }: ConfirmationFormsProps) {
  const text = useText('confirmation')
  const isBlocked = failure?.error.key === 'ACCOUNT_HELD' || failure?.error.key === 'ACCOUNT_LOCKED'
  const remedy = isBlocked && (
    <ButtonLink to="/settings/protection" look="secondary">
      {text.protection}
    </ButtonLink>
  )
  const form = (intent: string) => ({
    action: path,
    intent,
    remedy,
    failure: failure?.typed.intent === intent ? failure : undefined,
  })
  if (method === 'none')
    return (
      <PageForm {...form('press')}>
        <SubmitButton wide>{text.press}</SubmitButton>
      </PageForm>
    )
  const takesCode = method === 'otp' && hasTotp
  return (
    <>
      {options ? (
        <PageForm {...form('passkey')}>
          <PasskeyButton ceremony="confirmation" given={options} wide fallback={takesCode ? text.useCode : text.needsScript}>
            {text.passkey}
          </PasskeyButton>
        </PageForm>
      ) : (
        !takesCode && <NoPasskey hasPasskeys={hasPasskeys} />
      )}
      {options && takesCode && <Or />}
      {takesCode && (
        <PageForm {...form('code')}>
          <CodeField />
          <SubmitButton look={options ? 'secondary' : 'primary'} wide>
            {text.code}
          </SubmitButton>
        </PageForm>
      )}
    </>
  )
}

function NoPasskey({ hasPasskeys }: Pick<ConfirmationFormsProps, 'hasPasskeys'>) {
  const text = useText('confirmation')
  if (!hasPasskeys) return <p className="text-pretty">{text.unavailable}</p>
  return (
    <>
      <p className="text-pretty">{text.noPasskey}</p>
      <ButtonLink to="/settings/passkeys" wide>
        {text.addPasskey}
      </ButtonLink>
    </>
  )
}
