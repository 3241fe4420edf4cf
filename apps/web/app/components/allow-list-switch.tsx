import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { ExactMoment, type MomentWords } from '#app/components/moment.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasskeyButton } from '#app/components/passkey-button.tsx'
import { ReauthenticationGate, reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { Status } from '#app/components/status.tsx'
import type { FormFailure } from '#app/form-result.ts'
import { useText } from '#app/text.ts'

type AllowListSwitchProps = {
  path: string
  enabled: boolean
  /** When a pending switch-off takes effect. */
  ends: MomentWords | null
  hours: number
  isReauthenticated: boolean
  needsPasskey: boolean
  failureOf: (intent: string) => FormFailure | undefined
}

export function AllowListSwitch(props: AllowListSwitchProps) {
  const text = useText('allowList')
  const { path, enabled, ends, hours, failureOf } = props
  return (
    <Card title={text.switchTitle}>
      <p className="text-pretty text-ink-soft">{text.lead(hours)}</p>
      <div className="grid justify-items-start gap-2">
        <Status good={enabled}>{enabled ? text.on : text.off}</Status>
        <p className="text-pretty">{enabled ? text.onLead : text.offLead}</p>
        {ends && (
          <p className="text-pretty">
            {text.endsLead} <ExactMoment {...ends} />. {text.endsNote}
          </p>
        )}
      </div>
      {enabled && !ends ? (
        <SwitchOff {...props} />
      ) : (
        <PageForm action={path} intent="enable" failure={failureOf('enable')}>
          <div>
            <SubmitButton>{ends ? text.keepOn : text.turnOn}</SubmitButton>
          </div>
        </PageForm>
      )}
    </Card>
  )
}

function SwitchOff({ path, hours, isReauthenticated, needsPasskey, failureOf }: AllowListSwitchProps) {
  const text = useText('allowList')
  const failure = failureOf('disable')
  if (!isReauthenticated && !failure) return <ReauthenticationGate>{text.turnOffGate}</ReauthenticationGate>
  return (
    <PageForm action={path} intent="disable" failure={failure} remedy={reauthenticateLink(failure?.error)}>
      <p id="turn-off-lead" className="text-sm text-pretty text-ink-soft">
        {text.turnOffLead(hours)}
      </p>
      <div>
        {needsPasskey ? (
          <PasskeyButton ceremony="authentication" look="secondary" describedBy="turn-off-lead" fallback={text.withoutScript}>
            {text.turnOffPasskey}
          </PasskeyButton>
        ) : (
          <SubmitButton look="secondary" describedBy="turn-off-lead">
            {text.turnOff}
          </SubmitButton>
        )}
      </div>
    </PageForm>
  )
}
