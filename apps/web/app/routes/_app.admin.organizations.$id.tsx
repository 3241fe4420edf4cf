import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { throwNotFound, withAdministration } from '#app/administration.server.ts'
import { useAdministrationText } from '#app/administration-text.ts'
import { withApiForm } from '#app/api.server.ts'
import { Card, Facts } from '#app/components/card.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { Field } from '#app/components/field.tsx'
import { Heading } from '#app/components/heading.tsx'
import { Moment } from '#app/components/moment.tsx'
import { reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { ResultAlert } from '#app/components/result-alert.tsx'
import { Status } from '#app/components/status.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'

export const loader = withAdministration(async ({ api, page, params }) => {
  const [organization, { success: mayChange }] = await Promise.all([
    api.administration.getOrganization({ id: params.id ?? '' }),
    api.administration.hasPermission({ permissions: { organization: ['suspend', 'restore', 'transfer'] } }),
  ]).catch(throwNotFound)
  return {
    id: organization.id,
    path: `/admin/organizations/${encodeURIComponent(organization.id)}`,
    name: organization.name,
    slug: organization.slug,
    isSuspended: organization.suspendedAt !== null,
    created: momentText(organization.createdAt, page.locale),
    invitations: organization.pendingInvitations,
    apiKeys: organization.apiKeys,
    members: organization.members.map(({ role, acceptedAt, user }) => ({
      id: user.id,
      name: user.name,
      email: user.email,
      role,
      isAccepted: acceptedAt !== null,
    })),
    mayChange,
  }
})

/** The intent is `suspend`, `restore`, or `owner <user id>`. */
export const action = withApiForm(['intent', 'reason'], async ({ api, params, field, text }) => {
  const organizationId = params.id ?? ''
  const [intent, userId = ''] = field('intent').split(' ')
  const reason = field('reason')
  const { ownerChanged, isSuspended, isRestored } = text.administrationOrganizations
  if (intent === 'owner') {
    await api.administration.changeOrganizationOwner({ organizationId, userId, reason })
    return { done: ownerChanged }
  }
  if (intent === 'restore') {
    await api.administration.restoreOrganization({ organizationId, reason })
    return { done: isRestored }
  }
  await api.administration.suspendOrganization({ organizationId, reason })
  return { done: isSuspended }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.administration.title)

export default function AdministrationOrganization() {
  const text = useAdministrationText('administrationOrganizations')
  const { id, path, name, slug, isSuspended, created, invitations, apiKeys, members, mayChange } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const form = (intent: string) => {
    const failure = result?.error && result.typed.intent === intent ? result : undefined
    const remedy = reauthenticateLink(failure?.error, { path: '/admin/confirm', redirectTo: path })
    return { action: path, intent, failure, remedy }
  }
  const isOnlyOwner = (userId: string) => members.filter(({ role }) => role === 'owner').every((owner) => owner.id === userId)
  const candidates = mayChange ? members.filter((member) => member.isAccepted && !isOnlyOwner(member.id)) : []
  const reasonField = (intent: string) => (
    <Field name="reason" id={`reason-${intent}`} label={text.reason} hint={text.reasonHint} maxLength={500} autoComplete="off" />
  )
  const act = isSuspended ? 'restore' : 'suspend'
  const shown = mayChange ? [act, ...candidates.map((member) => `owner ${member.id}`)] : []
  return (
    <>
      <p>
        <TextLink to="/admin/organizations">{text.back}</TextLink>
      </p>
      <Heading title={name} />
      <ResultAlert result={result} intents={shown} />
      <Card title={text.facts}>
        <Facts
          rows={[
            { name: text.id, value: id },
            { name: text.slug, value: slug },
            { name: text.state, value: <Status good={!isSuspended}>{isSuspended ? text.suspended : text.active}</Status> },
            { name: text.created, value: <Moment {...created} /> },
            { name: text.invitations, value: invitations },
            { name: text.apiKeys, value: apiKeys },
          ]}
        />
      </Card>
      <Card title={text.members}>
        <ul className="-mb-4 divide-y divide-line border-t border-line">
          {members.map((member) => (
            <li key={member.id} className="grid gap-x-6 gap-y-3 py-4 @md:grid-cols-[1fr_auto] @md:items-center">
              <div className="grid min-w-0 gap-0.5 wrap-anywhere">
                <p>
                  <TextLink to={`/admin/users/${encodeURIComponent(member.id)}`}>{member.email}</TextLink>
                </p>
                <p className="text-sm text-ink-soft">
                  {[member.name, text.roles[member.role] ?? member.role, member.isAccepted ? '' : text.notAccepted]
                    .filter(Boolean)
                    .join(' · ')}
                </p>
              </div>
              {candidates.includes(member) && (
                <ConfirmButton
                  name={`owner-${member.id}`}
                  label={text.makeOwner}
                  of={member.email}
                  title={text.ownerTitle(member.email)}
                  lead={text.ownerLead}
                  confirm={text.ownerConfirm}
                  form={form(`owner ${member.id}`)}
                >
                  {reasonField(`owner-${member.id}`)}
                </ConfirmButton>
              )}
            </li>
          ))}
        </ul>
      </Card>
      {mayChange && (
        <Card title={text[`${act}Title`]} danger={!isSuspended}>
          <p className="text-ink-soft">{text[`${act}Lead`]}</p>
          <div>
            <ConfirmButton
              name={act}
              label={text[act]}
              title={text[`${act}Question`](name)}
              lead={text[`${act}Lead`]}
              confirm={text[`${act}Confirm`]}
              look={isSuspended ? 'secondary' : 'danger'}
              form={form(act)}
            >
              {reasonField(act)}
            </ConfirmButton>
          </div>
        </Card>
      )}
    </>
  )
}
