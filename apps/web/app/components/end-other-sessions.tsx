import { ConfirmButton } from '#app/components/confirm-button.tsx'
import type { FormFailure } from '#app/form-result.ts'
import { useText } from '#app/text.ts'

type EndOtherSessionsProps = { look?: 'primary' | 'secondary'; failure?: FormFailure | undefined }

export function EndOtherSessions({ look = 'secondary', failure }: EndOtherSessionsProps) {
  const text = useText('sessions')
  return (
    <ConfirmButton
      name="others"
      look={look}
      label={text.endOthers}
      title={text.endOthersTitle}
      lead={text.endOthersLead}
      confirm={text.endOthersConfirm}
      form={{ action: '/settings/sessions', intent: 'others', failure }}
    />
  )
}
