import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { Field } from '#app/components/field.tsx'
import { ExactMoment, type MomentWords } from '#app/components/moment.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasskeyButton } from '#app/components/passkey-button.tsx'
import { Select } from '#app/components/select.tsx'
import { Status } from '#app/components/status.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import type { FormFailure } from '#app/form-result.ts'
import type { ProtectionIntent } from '#app/protection-forms.ts'
import { useText } from '#app/text.ts'

type ProtectionLockProps = {
  path: string
  hasPasskeys: boolean
  passkey: 'none' | 'new' | 'ready'
  lock: {
    locked: boolean
    kind: 'owner' | 'panic' | null
    unlockDays: number | null
    unlockAt: MomentWords | null
    days: readonly number[]
    usualDays: number
  }
  forms: readonly ProtectionIntent[]
  failureOf: (intent: ProtectionIntent) => FormFailure | undefined
}

export function ProtectionLock(props: ProtectionLockProps) {
  const text = useText('protection')
  const { lock } = props
  return (
    <div id="lock" className="scroll-mt-24">
      <Card title={text.lockTitle}>
        <div>
          <Status good={lock.locked}>{lock.locked ? text.lockOn : text.lockOff}</Status>
        </div>
        <p className="text-pretty text-ink-soft">{lock.kind === 'panic' ? text.panicLead : text.lockLead}</p>
        {lock.locked ? <Locked {...props} /> : <Unlocked {...props} />}
      </Card>
    </div>
  )
}

function Unlocked({ path, hasPasskeys, passkey, lock, failureOf }: ProtectionLockProps) {
  const text = useText('protection')
  if (!hasPasskeys) return <p>{text.lockUnavailable}</p>
  if (passkey === 'none')
    return (
      <p className="text-pretty">
        {text.lockNeedsPasskey} <TextLink to="/settings/passkeys">{text.addPasskey}</TextLink>
      </p>
    )
  if (passkey === 'new') return <p className="text-pretty">{text.lockNeedsOlderPasskey}</p>
  return (
    <PageForm action={path} intent="lock" failure={failureOf('lock')}>
      <Select
        name="days"
        label={text.days}
        hint={text.daysHint}
        defaultValue={String(lock.usualDays)}
        options={lock.days.map((count) => ({ value: String(count), label: text.dayCount(count) }))}
      />
      <div>
        <PasskeyButton ceremony="authentication" fallback={text.withoutScript}>
          {text.lock}
        </PasskeyButton>
      </div>
    </PageForm>
  )
}

function Locked({ path, lock, forms, failureOf }: ProtectionLockProps) {
  const text = useText('protection')
  return (
    <>
      {lock.unlockAt && (
        <div className="grid gap-3 rounded-md bg-sunken px-4 py-4">
          <p className="text-pretty">
            {text.unlockAt} <ExactMoment {...lock.unlockAt} />. {text.unlockNote}
          </p>
          <PageForm action={path} intent="cancel-unlock" failure={failureOf('cancel-unlock')}>
            <div>
              <SubmitButton>{text.cancelUnlock}</SubmitButton>
            </div>
          </PageForm>
        </div>
      )}
      {forms.includes('undo-panic') && (
        <PageForm action={path} intent="undo-panic" failure={failureOf('undo-panic')}>
          <p className="text-sm text-pretty text-ink-soft">{text.undoPanicLead}</p>
          <div>
            <PasskeyButton ceremony="authentication" fallback={text.withoutScript}>
              {text.undoPanic}
            </PasskeyButton>
          </div>
        </PageForm>
      )}
      {forms.includes('unlock-with-key') && (
        <PageForm action={path} intent="unlock-with-key" failure={failureOf('unlock-with-key')}>
          <Field
            name="key"
            label={text.lockKey}
            hint={text.lockKeyHint}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={64}
          />
          <div>
            <PasskeyButton ceremony="authentication" look="secondary" fallback={text.withoutScript}>
              {text.unlockNow}
            </PasskeyButton>
          </div>
        </PageForm>
      )}
      {forms.includes('request-unlock') && (
        <ConfirmButton
          name="request-unlock"
          label={text.requestUnlock(lock.unlockDays ?? 1)}
          title={text.requestTitle}
          lead={text.requestLead(lock.unlockDays ?? 1)}
          confirm={text.requestConfirm}
          form={{ action: path, intent: 'request-unlock', failure: failureOf('request-unlock') }}
        />
      )}
    </>
  )
}
