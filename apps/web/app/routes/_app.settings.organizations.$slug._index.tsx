import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { Card, Facts } from '#app/components/card.tsx'
import { Moment } from '#app/components/moment.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { ResultAlert } from '#app/components/result-alert.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { momentText } from '#app/moment-text.server.ts'
import { getNotice } from '#app/notice.ts'
import { organizationForms, pathOfOrganization } from '#app/organization-forms.tsx'
import { loadOrganization } from '#app/organization-page.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async (args) => {
  const { api, page, url, notices } = args
  const { organization, role } = await loadOrganization(args)
  const { id, mayInvite, createdAt } = organization
  const none = { organizationId: id, limit: 0 }
  const [{ total: members }, { total: owners }, invitations] = await Promise.all([
    api.organizations.listMembers(none),
    api.organizations.listMembers({ ...none, filterField: 'role', filterValue: 'owner' }),
    mayInvite ? api.organizations.listInvitations({ organizationId: id, status: 'pending' }) : [],
  ])
  const now = new Date()
  const open = invitations.filter(({ expiresAt }) => expiresAt > now).length
  return {
    ...organization,
    created: momentText(createdAt, page.locale),
    members,
    open,
    invitesFirst: mayInvite && members === 1 && open === 0,
    needsSecondOwner: role === 'owner' && owners === 1 && members > 1,
    notice: getNotice(url, notices.organization),
  }
})

/** Answers a membership that another member gave. */
export const action = withApiForm(['intent'], async ({ api, field, text }) => {
  const organizationId = field('organizationId')
  switch (field('intent')) {
    case 'accept':
      await api.organizations.acceptMembership({ organizationId })
      return { done: text.organization.done.accept }
    case 'leave':
      await api.organizations.leave({ organizationId })
      throw redirect('/settings/organizations?notice=left')
    default:
      throw new Response('Bad Request', { status: 400 })
  }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.organization.title)

export default function OrganizationOverview() {
  const text = useText('organization')
  const organization = useLoaderData<typeof loader>()
  const { id, slug, role, members, open, isAccepted, invitesFirst, needsSecondOwner, notice } = organization
  const result = useActionData<typeof action>()
  const { form, hidden } = organizationForms(id, `${pathOfOrganization(slug)}?index`, result)
  return (
    <>
      {notice && !result && <Alert look="success">{notice}</Alert>}
      <ResultAlert result={result} intents={isAccepted ? [] : ['accept', 'leave']} />
      {!isAccepted && (
        <Card title={text.addedTitle}>
          <p className="text-ink-soft">{text.addedLead}</p>
          <div className="flex flex-wrap items-start gap-3">
            <PageForm {...form('accept')}>
              {hidden}
              <SubmitButton>{text.accept}</SubmitButton>
            </PageForm>
            <PageForm {...form('leave')}>
              {hidden}
              <SubmitButton look="secondary">{text.leave}</SubmitButton>
            </PageForm>
          </div>
        </Card>
      )}
      {invitesFirst && (
        <Card title={text.firstMemberTitle}>
          <p className="text-pretty text-ink-soft">{text.firstMemberLead}</p>
          <div>
            <ButtonLink to={pathOfOrganization(slug, 'invitations')}>{text.inviteFirst}</ButtonLink>
          </div>
        </Card>
      )}
      {needsSecondOwner && (
        <Card title={text.secondOwnerTitle}>
          <p className="text-pretty text-ink-soft">{text.secondOwnerLead}</p>
          <div>
            <ButtonLink to={pathOfOrganization(slug, 'members')} look="secondary">
              {text.chooseOwner}
            </ButtonLink>
          </div>
        </Card>
      )}
      <Card title={text.pages.overview}>
        <Facts
          rows={[
            { name: text.yourRole, value: role },
            {
              name: text.membersTitle,
              value: members,
              more: <TextLink to={pathOfOrganization(slug, 'members')}>{text.seeMembers}</TextLink>,
            },
            ...(organization.mayInvite
              ? [
                  {
                    name: text.openTitle,
                    value: open,
                    more: <TextLink to={pathOfOrganization(slug, 'invitations')}>{text.seeInvitations}</TextLink>,
                  },
                ]
              : []),
            { name: text.slug, value: slug },
            { name: text.created, value: <Moment {...organization.created} /> },
          ]}
        />
      </Card>
    </>
  )
}
