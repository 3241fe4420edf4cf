import type { ComponentProps } from 'react'
import { useAdministrationText } from '#app/administration-text.ts'
import { Card } from '#app/components/card.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { Field } from '#app/components/field.tsx'
import { Moment } from '#app/components/moment.tsx'
import { Status } from '#app/components/status.tsx'

type UserApiKey = {
  id: string
  name: string
  start: string | null
  state: 'active' | 'disabled' | 'expired'
  isOfOrganization: boolean
  created: ComponentProps<typeof Moment>
}

type UserApiKeysProps = {
  apiKeys: readonly UserApiKey[]
  mayDelete: boolean
  form: (intent: string) => ComponentProps<typeof ConfirmButton>['form']
}

/** The API keys that a user created, without their secrets. */
export function UserApiKeys({ apiKeys, mayDelete, form }: UserApiKeysProps) {
  const text = useAdministrationText('administrationUser')
  const { reason, reasonHint } = useAdministrationText('administrationActs')
  return (
    <Card title={text.apiKeys}>
      {apiKeys.length === 0 ? (
        <p className="text-ink-soft">{text.noApiKeys}</p>
      ) : (
        <ul className="-mb-4 divide-y divide-line border-t border-line">
          {apiKeys.map(({ id, name, start, state, isOfOrganization, created }) => (
            <li key={id} className="grid gap-x-6 gap-y-3 py-4 @md:grid-cols-[1fr_auto] @md:items-start">
              <div className="grid min-w-0 gap-1 wrap-anywhere">
                <p className="flex flex-wrap items-center gap-3 font-semibold">
                  {name}
                  <Status good={state === 'active'}>{text.keyStates[state]}</Status>
                </p>
                <p className="text-sm text-ink-soft">
                  {[start, isOfOrganization ? text.ofOrganization : ''].filter(Boolean).join(' · ')}
                </p>
                <p className="text-sm text-ink-soft">
                  <Moment {...created} />
                </p>
              </div>
              {mayDelete && (
                <ConfirmButton
                  name={`key:${id}`}
                  label={text.deleteKey}
                  of={name}
                  title={text.deleteKeyTitle(name)}
                  lead={text.deleteKeyLead}
                  confirm={text.deleteKeyConfirm}
                  look="danger"
                  form={form(`key:${id}`)}
                >
                  <Field
                    id={`key-${id}-reason`}
                    name="reason"
                    label={reason}
                    hint={reasonHint}
                    maxLength={500}
                    autoComplete="off"
                  />
                </ConfirmButton>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
