import type { allowListLengths } from '@floorpass/api/contracts'
import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { Field } from '#app/components/field.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasskeyButton } from '#app/components/passkey-button.tsx'
import { ReauthenticationGate, reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import type { FormFailure } from '#app/form-result.ts'
import { useText } from '#app/text.ts'

const suggestedKinds = ['bitcoin', 'ethereum', 'solana', 'usdc', 'iban']

/** An address is no word of a language: nothing may correct it. */
const verbatim = { autoComplete: 'off', autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false } as const

type NewAllowListEntryProps = {
  path: string
  isReauthenticated: boolean
  needsPasskey: boolean
  lengths: typeof allowListLengths
  most: number
  full: boolean
  failure: FormFailure | undefined
}

export function NewAllowListEntry({
  path,
  isReauthenticated,
  needsPasskey,
  lengths,
  most,
  full,
  failure,
}: NewAllowListEntryProps) {
  const text = useText('allowList')
  return (
    <Card title={text.addTitle}>
      {full ? (
        <p>{text.full(most)}</p>
      ) : isReauthenticated || failure ? (
        <PageForm action={path} intent="add" failure={failure} remedy={reauthenticateLink(failure?.error)}>
          <Field {...verbatim} name="kind" label={text.kind} hint={text.kindHint} list="kinds" maxLength={lengths.kind} />
          <datalist id="kinds">
            {suggestedKinds.map((kind) => (
              <option key={kind} value={kind} />
            ))}
          </datalist>
          <Field {...verbatim} name="value" label={text.address} hint={text.addressHint} maxLength={lengths.value} />
          <Field
            name="label"
            label={text.name}
            hint={text.nameHint}
            autoComplete="off"
            required={false}
            maxLength={lengths.label}
          />
          <div>
            {needsPasskey ? (
              <PasskeyButton ceremony="authentication" fallback={text.withoutScript}>
                {text.addPasskey}
              </PasskeyButton>
            ) : (
              <SubmitButton>{text.add}</SubmitButton>
            )}
          </div>
        </PageForm>
      ) : (
        <ReauthenticationGate>{text.addGate}</ReauthenticationGate>
      )}
    </Card>
  )
}
