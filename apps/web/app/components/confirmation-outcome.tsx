import { ButtonLink } from '#app/components/button.tsx'
import { Heading } from '#app/components/heading.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { useText } from '#app/text.ts'

type ConfirmationOutcomeProps = {
  status: 'approved' | 'rejected' | 'consumed' | 'expired' | 'not-found' | 'pending'
  callback: string | null
}

/** Nothing is left to answer: what became of the request, and where to go on. */
export function ConfirmationOutcome({ status, callback }: ConfirmationOutcomeProps) {
  const text = useText('confirmation')
  const { title, lead } = text.outcomes[status]
  return (
    <>
      <Heading title={title}>
        <p role="status">{lead}</p>
      </Heading>
      {status === 'rejected' && (
        <p className="text-pretty">
          {text.notMe} <TextLink to="/settings/sessions">{text.devices}</TextLink>
        </p>
      )}
      <div>
        <ButtonLink to={callback ?? '/dashboard'} reloadDocument>
          {callback === null ? text.dashboard : text.back}
        </ButtonLink>
      </div>
    </>
  )
}
