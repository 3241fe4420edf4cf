import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Heading } from '#app/components/heading.tsx'
import { LocalMailbox } from '#app/components/local-mailbox.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { TextButton, TextLink } from '#app/components/text-link.tsx'
import { withTarget } from '#app/redirect-target.ts'
import { useText } from '#app/text.ts'

/** Where the mail is asked for again. */
const actions = {
  'sign-up': '/verify-email',
  passkey: '/signup?with=passkey',
  confirm: '/verify-email',
  reset: '/forgot-password',
} as const

type CheckYourMailProps = {
  occasion: keyof typeof actions
  email: string
  name?: string | null
  /** An email that the person may have meant instead. */
  suggestion?: string | null
  redirectTo: string | null
}

/** After a mail with a link was asked for: what happens now, and what to do when nothing does. */
export function CheckYourMail({ occasion, email, name = null, suggestion = null, redirectTo }: CheckYourMailProps) {
  const text = useText('checkYourMail')
  const sentence = text.sentences[occasion]
  return (
    <>
      <Heading title={text.title}>
        <p role="status">
          {sentence[0]}
          <strong className="font-semibold text-ink">
            <MailAddress>{email}</MailAddress>
          </strong>
          {sentence[1]}
        </p>
      </Heading>
      {suggestion !== null && (
        <Alert>
          <p>
            {text.meant[0]}
            <strong className="font-semibold">
              <MailAddress>{suggestion}</MailAddress>
            </strong>
            {text.meant[1]}
          </p>
          <PageForm action={withTarget('/signup', redirectTo)} intent="correct">
            <input type="hidden" name="email" value={suggestion} />
            <TextButton name="correct">{text.correct}</TextButton>
          </PageForm>
        </Alert>
      )}
      <LocalMailbox />
      <PageForm action={withTarget(actions[occasion], redirectTo)} intent="send">
        <input type="hidden" name="email" value={email} />
        {name !== null && <input type="hidden" name="name" value={name} />}
        <SubmitButton look="secondary" wide>
          {text.again}
        </SubmitButton>
      </PageForm>
      <p className="text-sm text-ink-soft">{text.nothing}</p>
      <p>
        <TextLink to={withTarget('/login', redirectTo)}>{text.signIn}</TextLink>
      </p>
    </>
  )
}
