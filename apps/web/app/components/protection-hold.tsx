import { Card, Facts } from '#app/components/card.tsx'
import { ExactMoment, type MomentWords } from '#app/components/moment.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasskeyButton } from '#app/components/passkey-button.tsx'
import { Status } from '#app/components/status.tsx'
import type { FormFailure } from '#app/form-result.ts'
import type { ProtectionIntent } from '#app/protection-forms.ts'
import { useText } from '#app/text.ts'

type ProtectionHoldProps = {
  path: string
  hold: { until: MomentWords | null; reasons: readonly { reason: string; ends: MomentWords }[] }
  forms: readonly ProtectionIntent[]
  failure: FormFailure | undefined
}

export function ProtectionHold({ path, hold, forms, failure }: ProtectionHoldProps) {
  const text = useText('protection')
  return (
    <Card title={text.holdTitle}>
      <div>
        <Status good={hold.until === null}>{hold.until === null ? text.holdOff : text.holdOn}</Status>
      </div>
      <p className="text-pretty text-ink-soft">{text.holdLead}</p>
      {hold.reasons.length > 0 && (
        <Facts
          rows={hold.reasons.map(({ reason, ends }) => ({
            name: text.holdUntil,
            value: <ExactMoment {...ends} />,
            more: <span className="text-ink-soft">{text.holdReasons[reason] ?? reason}</span>,
          }))}
        />
      )}
      {forms.includes('lift-hold') && (
        <PageForm action={path} intent="lift-hold" failure={failure}>
          <p className="text-sm text-pretty text-ink-soft">{text.liftLead}</p>
          <div>
            <PasskeyButton ceremony="authentication" look="secondary" fallback={text.withoutScript}>
              {text.lift}
            </PasskeyButton>
          </div>
        </PageForm>
      )}
    </Card>
  )
}
