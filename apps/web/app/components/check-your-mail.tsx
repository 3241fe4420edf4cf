import { SubmitButton } from '#app/components/button.tsx'
import { Heading } from '#app/components/heading.tsx'
import { LocalMailbox } from '#app/components/local-mailbox.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { withTarget } from '#app/redirect-target.ts'

const text = {
  title: 'Check your mail',
  nothing: 'Nothing after a few minutes? Look in the spam folder, then send it again.',
  again: 'Send the mail again',
  signIn: 'Go to sign-in',
}

/** What is said around the address, and where the mail is asked for again. */
const occasions = {
  'sign-up': {
    sentence: ['We have sent a mail to ', '. Open the link in it to confirm the address, then sign in.'],
    action: '/verify-email',
  },
  // These two say nothing about the address: it may have no account, or be confirmed.
  confirm: {
    sentence: ['If ', ' is waiting to be confirmed, a new link is on its way. Open it, then sign in.'],
    action: '/verify-email',
  },
  reset: {
    sentence: ['If ', ' has an account, a mail is on its way to it. Open the link in it to choose a new password.'],
    action: '/forgot-password',
  },
} as const

type CheckYourMailProps = { occasion: keyof typeof occasions; email: string; redirectTo: string | null }

/** After a mail with a link was asked for: what happens now, and what to do when nothing does. */
export function CheckYourMail({ occasion, email, redirectTo }: CheckYourMailProps) {
  const { sentence, action } = occasions[occasion]
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
      <PageForm action={withTarget(action, redirectTo)} intent="send">
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
