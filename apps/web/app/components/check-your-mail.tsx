import { SubmitButton } from '#app/components/button.tsx'
import { Heading } from '#app/components/heading.tsx'
import { LocalMailbox } from '#app/components/local-mailbox.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { withTarget } from '#app/redirect-target.ts'
import { useText } from '#app/text.ts'

/** Where the mail is asked for again. */
const actions = { 'sign-up': '/verify-email', confirm: '/verify-email', reset: '/forgot-password' } as const

type CheckYourMailProps = { occasion: keyof typeof actions; email: string; redirectTo: string | null }

/** After a mail with a link was asked for: what happens now, and what to do when nothing does. */
export function CheckYourMail({ occasion, email, redirectTo }: CheckYourMailProps) {
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
      <LocalMailbox />
      <PageForm action={withTarget(actions[occasion], redirectTo)} intent="send">
        <input type="hidden" name="email" value={email} />
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
