import { type ReactNode, useState } from 'react'
import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { CheckboxCards, RadioCards } from '#app/components/choices.tsx'
import { Field } from '#app/components/field.tsx'
import { FormStep } from '#app/components/form-step.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasskeyButton } from '#app/components/passkey-button.tsx'
import { ReauthenticationGate, reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { Select } from '#app/components/select.tsx'
import { TextArea } from '#app/components/text-area.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import type { FormFailure } from '#app/form-result.ts'
import { useText } from '#app/text.ts'

const steps = 3

type NewApiKeyFormProps = {
  /** Of the list; the form is one page below. */
  path: string
  /** Hidden fields. */
  hidden?: ReactNode
  isReauthenticated: boolean
  /** The limit of keys, where it is reached. */
  full: number | null
  mayTrade: boolean
  hasPasskey: boolean
  days: readonly number[]
  usualDays: number
  nameLength: number
  failure: FormFailure | undefined
}

export function NewApiKeyForm(props: NewApiKeyFormProps) {
  const text = useText('newApiKey')
  const { path, isReauthenticated, full, failure } = props
  return (
    <Card title={text.title}>
      {full !== null ? (
        <p>{text.full(full)}</p>
      ) : isReauthenticated || failure ? (
        <Steps {...props} />
      ) : (
        <ReauthenticationGate>{text.gate}</ReauthenticationGate>
      )}
      <p>
        <TextLink to={path}>{text.back}</TextLink>
      </p>
    </Card>
  )
}

function Steps({ path, hidden, mayTrade, hasPasskey, days, usualDays, nameLength, failure }: NewApiKeyFormProps) {
  const text = useText('newApiKey')
  const [withdraws, setWithdraws] = useState(failure?.typed.withdraw === 'on')
  const place = (number: number) => text.step(number, steps)
  const { read, trade, withdraw } = text.choices
  const options = [
    { name: 'read', ...read, defaultChecked: true },
    ...(mayTrade ? [{ name: 'trade', ...trade }] : []),
    ...(hasPasskey ? [{ name: 'withdraw', ...withdraw, onChange: setWithdraws, className: 'noscript:hidden' }] : []),
  ]
  const year = days.at(-1)
  const expiries = [
    ...days.map((count) => ({ value: String(count), label: count === year ? text.year : text.days(count) })),
    { value: 'never', label: text.never },
  ]
  return (
    <PageForm action={`${path}/new`} failure={failure} remedy={reauthenticateLink(failure?.error)} className="grid gap-8">
      {hidden}
      <FormStep place={place(1)} title={text.steps.permissions}>
        <Field name="name" label={text.name} hint={text.nameHint} maxLength={nameLength} autoComplete="off" />
        <CheckboxCards legend={text.may} hint={text.mayHint} options={options}>
          {!mayTrade && (
            <p className="text-sm text-pretty text-ink-soft">
              {text.tradeOff} <TextLink to="/settings/trading">{text.tradeLink}</TextLink>
            </p>
          )}
          {!hasPasskey && (
            <p className="text-sm text-pretty text-ink-soft">
              {text.withdrawOff} <TextLink to="/settings/passkeys">{text.withdrawLink}</TextLink>
            </p>
          )}
          {hasPasskey && <p className="hidden text-sm text-ink-soft noscript:block">{text.withdrawWithoutScript}</p>}
        </CheckboxCards>
      </FormStep>
      <FormStep place={place(2)} title={text.steps.limits}>
        <TextArea name="addresses" label={text.addresses} hint={text.addressesHint} rows={3} maxLength={2500} />
        <Select name="expiry" label={text.expiry} hint={text.expiryHint} defaultValue={String(usualDays)} options={expiries} />
      </FormStep>
      <FormStep place={place(3)} title={text.steps.proof}>
        <div className="group/proof grid gap-5">
          <RadioCards
            name="proof"
            legend={text.proof}
            hint={text.proofHint}
            defaultValue="secret"
            options={Object.entries(text.proofs).map(([value, words]) => ({ value, ...words }))}
          />
          {/* Without a script too: the chosen card shows the box. */}
          <div className="hidden group-has-[[value=public-key]:checked]/proof:block">
            <TextArea name="publicKey" label={text.publicKey} hint={text.publicKeyHint} rows={5} maxLength={2000} />
          </div>
        </div>
      </FormStep>
      <div>
        {withdraws ? (
          <PasskeyButton ceremony="authentication" fallback={text.withoutScript}>
            {text.submitPasskey}
          </PasskeyButton>
        ) : (
          <SubmitButton>{text.submit}</SubmitButton>
        )}
      </div>
    </PageForm>
  )
}
