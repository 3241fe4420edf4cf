import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { Field } from '#app/components/field.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { ReauthenticationGate, reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import type { FormFailure } from '#app/form-result.ts'
import type { ProtectionIntent } from '#app/protection-forms.ts'
import { useText } from '#app/text.ts'

type ProtectionPhraseProps = {
  path: string
  phrase: string | null
  phraseLength: number
  lock: { locked: boolean }
  forms: readonly ProtectionIntent[]
  failureOf: (intent: ProtectionIntent) => FormFailure | undefined
}

export function ProtectionPhrase({ path, phrase, phraseLength, lock, forms, failureOf }: ProtectionPhraseProps) {
  const text = useText('protection')
  const form = (intent: ProtectionIntent) => {
    const failure = failureOf(intent)
    return { action: path, intent, failure, remedy: reauthenticateLink(failure?.error) }
  }
  return (
    <div id="set-phrase" className="scroll-mt-24">
      <Card title={text.phraseTitle}>
        <p className="text-pretty text-ink-soft">{text.phraseLead}</p>
        {phrase !== null && <p className="rounded-md bg-sunken px-4 py-3 font-medium wrap-anywhere">{phrase}</p>}
        {lock.locked ? (
          <p className="text-sm text-ink-soft">{text.phraseLocked}</p>
        ) : forms.includes('set-phrase') ? (
          <>
            <PageForm {...form('set-phrase')}>
              <Field name="phrase" label={text.phrase} hint={text.phraseHint} maxLength={phraseLength} autoComplete="off" />
              <div>
                <SubmitButton look="secondary">{phrase === null ? text.setPhrase : text.changePhrase}</SubmitButton>
              </div>
            </PageForm>
            {forms.includes('remove-phrase') && (
              <PageForm {...form('remove-phrase')}>
                <div>
                  <SubmitButton look="quiet">{text.removePhrase}</SubmitButton>
                </div>
              </PageForm>
            )}
          </>
        ) : (
          <ReauthenticationGate>{text.phraseGate}</ReauthenticationGate>
        )}
      </Card>
    </div>
  )
}
