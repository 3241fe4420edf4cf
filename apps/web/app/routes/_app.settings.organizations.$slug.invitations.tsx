import { organizationLimits } from '@floorpass/api/contracts'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { EmptyState } from '#app/components/empty-state.tsx'
import { Field } from '#app/components/field.tsx'
import { InvitationRow } from '#app/components/invitation-row.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { ResultAlert } from '#app/components/result-alert.tsx'
import { Select } from '#app/components/select.tsx'
import { momentText } from '#app/moment-text.server.ts'
import { organizationForms, pathOfOrganization } from '#app/organization-forms.tsx'
import { loadOrganization } from '#app/organization-page.server.ts'
import { roleName } from '#app/organization-roles.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async (args) => {
  const { api, page, text } = args
  const { organization } = await loadOrganization(args)
  const invitations = await api.organizations.listInvitations({ organizationId: organization.id, status: 'pending' })
  const now = new Date()
  return {
    ...organization,
    invitations: invitations
      .filter(({ expiresAt }) => expiresAt > now)
      .map(({ id, email, role, expiresAt }) => ({
        id,
        email,
        role,
        roleName: roleName(role, text),
        // The last email: one that is sent again expires later.
        sent: momentText(new Date(expiresAt.getTime() - organizationLimits.invitationLifetime * 1000), page.locale),
        until: momentText(expiresAt, page.locale),
      })),
    invitationHours: organizationLimits.invitationLifetime / 3600,
  }
})

/** The intent names what to do and with which invitation: `invite`, `resend:<invitation>`, `cancel:<invitation>`. */
export const action = withApiForm(['intent', 'email', 'role'], async ({ api, field, text }) => {
  const { done } = text.organization
  const organizationId = field('organizationId')
  const [verb = '', id = ''] = field('intent').split(':')
  if (verb === 'cancel') {
    await api.organizations.cancelInvitation({ invitationId: id })
    return { done: done.cancel }
  }
  if (verb !== 'invite' && verb !== 'resend') throw new Response('Bad Request', { status: 400 })
  const isResent = verb === 'resend'
  await api.organizations.invite({ organizationId, email: field('email').trim(), role: field('role'), resend: isResent })
  return { done: done[verb] }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.organization.pages.invitations)

export default function OrganizationInvitations() {
  const text = useText('organization')
  const { id, slug, givable, invitations, invitationHours } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const { form, hidden } = organizationForms(id, pathOfOrganization(slug, 'invitations'), result)
  const intents = ['invite', ...invitations.flatMap((invitation) => [`resend:${invitation.id}`, `cancel:${invitation.id}`])]
  return (
    <>
      <ResultAlert result={result} intents={intents} />
      <Card title={text.inviteTitle}>
        <p className="text-ink-soft">{text.inviteLead(invitationHours)}</p>
        <PageForm {...form('invite')}>
          {hidden}
          <Field name="email" type="email" label={text.email} inputMode="email" autoComplete="off" />
          <Select name="role" label={text.role} defaultValue="member" options={givable} />
          <div>
            <SubmitButton>{text.invite}</SubmitButton>
          </div>
        </PageForm>
      </Card>
      <Card title={text.openTitle}>
        {invitations.length === 0 ? (
          <EmptyState title={text.noInvitations} lead={text.noInvitationsLead} />
        ) : (
          <ul className="-mb-4 divide-y divide-line border-t border-line">
            {invitations.map((invitation) => (
              <InvitationRow key={invitation.id} {...invitation} form={form} hidden={hidden} />
            ))}
          </ul>
        )}
      </Card>
    </>
  )
}
