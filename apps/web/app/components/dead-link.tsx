import { ButtonLink } from '#app/components/button.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { Heading } from '#app/components/heading.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import type { PageError } from '#app/form-result.ts'
import { withTarget } from '#app/redirect-target.ts'

type DeadLinkProps = {
  text: { title: string; deadLead: string; signIn: string }
  /** The button that leads to a new password. */
  newPassword: string
  error: PageError | null | undefined
  redirectTo?: string | null
}

/** A mailed link that does not work: why, and what to do instead. */
export function DeadLink({ text, newPassword, error, redirectTo = null }: DeadLinkProps) {
  return (
    <>
      <Heading title={text.title}>{text.deadLead}</Heading>
      {error && <FormErrors error={error} />}
      <ButtonLink to={withTarget('/forgot-password', redirectTo)} wide>
        {newPassword}
      </ButtonLink>
      <p>
        <TextLink to={withTarget('/login', redirectTo)}>{text.signIn}</TextLink>
      </p>
    </>
  )
}
