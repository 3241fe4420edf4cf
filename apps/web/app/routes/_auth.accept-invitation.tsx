import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { tryCall, withApi, withApiForm } from '#app/api.server.ts'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { Heading } from '#app/components/heading.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { useMailedText } from '#app/mailed-text.ts'
import { roleName } from '#app/organization-roles.ts'
import { pageTitle } from '#app/page-title.ts'
import { withTarget } from '#app/redirect-target.ts'

const pathOf = (token: string) => `/accept-invitation?${new URLSearchParams({ token })}`

/** Opening the link changes nothing: mail scanners open links too. */
export const loader = withApi(async ({ api, page, url, text }) => {
  const token = url.searchParams.get('token') ?? ''
  const active = await api.sessions.get()
  if (!active) return { token, email: null, invitation: null, refusal: null }
  const { answer, refusal } = await tryCall(api.organizations.getInvitation({ id: token || '-' }), page.locale)
  const invitation = answer && {
    organization: answer.organizationName,
    inviter: answer.inviterEmail,
    role: roleName(answer.role, text),
  }
  return { token, email: active.user.email, invitation, refusal }
})

/** Sent to the address that was mailed: after a refusal, and after a sign-in, the page still knows the invitation. */
export const action = withApiForm(['intent'], async ({ api, field, url }) => {
  const invitationId = url.searchParams.get('token') || '-'
  if (field('intent') === 'decline') {
    await api.organizations.rejectInvitation({ invitationId })
    throw redirect('/settings/organizations?notice=declined')
  }
  const { member } = await api.organizations.acceptInvitation({ invitationId })
  const joined = await api.organizations.get({ organizationId: member.organizationId })
  throw redirect(`/settings/organizations/${joined?.slug}?notice=joined`)
})

export { clientAction } from '#app/client-action.ts'

export const headers = () => ({ 'Referrer-Policy': 'no-referrer' })

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.acceptInvitation.title)

export default function AcceptInvitation() {
  const text = useMailedText('acceptInvitation')
  const { token, email, invitation, refusal } = useLoaderData<typeof loader>()
  const failure = useActionData<typeof action>()
  const form = (intent: string) => ({
    action: pathOf(token),
    intent,
    failure: failure?.typed.intent === intent ? failure : undefined,
  })
  if (email === null) {
    return (
      <>
        <Heading title={text.title}>{text.signedOut}</Heading>
        <div className="grid gap-3">
          <ButtonLink to={withTarget('/login', pathOf(token))} wide>
            {text.signIn}
          </ButtonLink>
          <ButtonLink to={withTarget('/signup', pathOf(token))} look="secondary" wide>
            {text.signUp}
          </ButtonLink>
        </div>
      </>
    )
  }
  if (!invitation) {
    return (
      <>
        <Heading title={text.title}>
          {text.signedInAs}
          <strong className="font-semibold text-ink">
            <MailAddress>{email}</MailAddress>
          </strong>
          .
        </Heading>
        {refusal && <FormErrors error={(failure ?? { error: refusal }).error} />}
        <PageForm action="/logout" reloadDocument>
          <input type="hidden" name="redirectTo" value={pathOf(token)} />
          <SubmitButton look="secondary" wide>
            {text.signOut}
          </SubmitButton>
        </PageForm>
        <p>
          <TextLink to="/settings/organizations">{text.organizations}</TextLink>
        </p>
      </>
    )
  }
  return (
    <>
      <Heading title={invitation.organization}>
        <p>
          {invitation.inviter ? <MailAddress>{invitation.inviter}</MailAddress> : text.someone}
          {text.invites(invitation.role)}
        </p>
        <p>{text.seen}</p>
      </Heading>
      <PageForm {...form('accept')}>
        <SubmitButton wide>{text.accept}</SubmitButton>
      </PageForm>
      <ConfirmButton
        name="decline"
        label={text.decline}
        title={text.declineTitle(invitation.organization)}
        lead={text.declineLead}
        confirm={text.declineConfirm}
        form={form('decline')}
        wide
      />
      <p>
        <TextLink to="/settings/organizations">{text.organizations}</TextLink>
      </p>
    </>
  )
}
