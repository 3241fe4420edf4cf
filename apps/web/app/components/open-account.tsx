import type { ComponentProps } from 'react'
import { useAdministrationText } from '#app/administration-text.ts'
import { Card } from '#app/components/card.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { Field } from '#app/components/field.tsx'

type OpenAccountProps = { email: string; form: ComponentProps<typeof ConfirmButton>['form'] }

export function OpenAccount({ email, form }: OpenAccountProps) {
  const text = useAdministrationText('openAccount')
  return (
    <Card title={text.title}>
      <p className="text-ink-soft">{text.lead}</p>
      <div>
        <ConfirmButton
          name="impersonate"
          label={text.open}
          title={text.question(email)}
          lead={text.notice}
          confirm={text.confirm}
          form={{ ...form, reloadDocument: true }}
        >
          <Field name="reason" label={text.reason} hint={text.reasonHint} maxLength={500} autoComplete="off" />
        </ConfirmButton>
      </div>
    </Card>
  )
}
