import { fieldLengths, organizationLimits } from '@floorpass/api/contracts'
import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { EmptyState } from '#app/components/empty-state.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { NewOrganizationForm } from '#app/components/new-organization-form.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { findFreeSlug } from '#app/free-slug.server.ts'
import { getNotice } from '#app/notice.ts'
import { roleName } from '#app/organization-roles.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, url, text, notices }) => {
  const { user } = await api.sessions.require()
  const [organizations, invitations] = await Promise.all([
    api.organizations.list(),
    user.emailVerified ? api.organizations.listUserInvitations() : [],
  ])
  return {
    organizations: organizations.map(({ id, name, slug, role, acceptedAt }) => ({
      id,
      name,
      slug,
      role: roleName(role, text),
      isAccepted: acceptedAt !== null,
    })),
    invitations: invitations.map(({ id, organizationName, role }) => ({ id, organizationName, role: roleName(role, text) })),
    most: organizationLimits.perUser,
    // Creating another one ends a membership that is not accepted yet.
    isFull: organizations.filter(({ acceptedAt }) => acceptedAt !== null).length >= organizationLimits.perUser,
    lengths: fieldLengths,
    notice: getNotice(url, notices.organizations),
  }
})

/** Without an intent: create. `accept:<organization>` and `leave:<organization>` answer a membership that another member gave. */
export const action = withApiForm(['intent', 'name', 'slug'], async ({ api, page, field }) => {
  const [verb, organizationId = ''] = field('intent').split(':')
  if (verb === 'leave') {
    await api.organizations.leave({ organizationId })
    throw redirect('/settings/organizations?notice=left')
  }
  if (verb === 'accept') {
    await api.organizations.acceptMembership({ organizationId })
    throw redirect('/settings/organizations?notice=accepted')
  }
  const name = field('name')
  const typed = field('slug').trim()
  const { slug } = await api.organizations.create({ name, slug: typed || (await findFreeSlug(api, name, page.locale)) })
  throw redirect(`/settings/organizations/${slug}?notice=created`)
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.organizations.title)

export default function OrganizationsSettings() {
  const text = useText('organizations')
  const { organizations, invitations, most, isFull, lengths, notice } = useLoaderData<typeof loader>()
  const failure = useActionData<typeof action>()
  const failed = failure?.typed.intent ?? ''
  const form = (intent: string) => ({
    action: '/settings/organizations?index',
    intent,
    failure: failed === intent ? failure : undefined,
  })
  // The row that was sent may be gone by now.
  const isOutsideForms = failed !== '' && !organizations.some(({ id, isAccepted }) => !isAccepted && failed.endsWith(`:${id}`))
  return (
    <>
      <Card>
        {notice && !failure && <Alert look="success">{notice}</Alert>}
        {failure && isOutsideForms && <FormErrors error={{ ...failure.error, fields: {} }} />}
        <p className="text-ink-soft">{text.lead(most)}</p>
        {organizations.length === 0 ? (
          <EmptyState title={text.none} lead={text.noneLead} />
        ) : (
          <ul className="-mb-4 divide-y divide-line border-t border-line">
            {organizations.map(({ id, name, slug, role, isAccepted }) => (
              <li key={id} className="grid gap-1 py-4 wrap-anywhere">
                <TextLink to={`/settings/organizations/${slug}`}>{name}</TextLink>
                <span className="text-sm text-ink-soft">
                  {slug} · {role}
                </span>
                {!isAccepted && (
                  <>
                    <p>{text.added}</p>
                    <div className="flex flex-wrap items-start gap-3">
                      <PageForm {...form(`accept:${id}`)}>
                        <SubmitButton>
                          {text.accept}
                          <span className="sr-only">{name}</span>
                        </SubmitButton>
                      </PageForm>
                      <PageForm {...form(`leave:${id}`)}>
                        <SubmitButton look="secondary">
                          {text.leave}
                          <span className="sr-only">{name}</span>
                        </SubmitButton>
                      </PageForm>
                    </div>
                  </>
                )}
              </li>
            ))}
          </ul>
        )}
      </Card>
      {invitations.length > 0 && (
        <Card title={text.invitedTitle}>
          <ul className="-mb-4 divide-y divide-line border-t border-line">
            {invitations.map(({ id, organizationName, role }) => (
              <li key={id} className="grid gap-x-6 gap-y-3 py-4 wrap-anywhere @md:grid-cols-[1fr_auto] @md:items-center">
                <div className="grid gap-1">
                  <span className="font-semibold">{organizationName}</span>
                  <span className="text-sm text-ink-soft">{role}</span>
                </div>
                <div>
                  <ButtonLink to={`/accept-invitation?token=${id}`} look="secondary">
                    {text.seeInvitation}
                    <span className="sr-only">{organizationName}</span>
                  </ButtonLink>
                </div>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {isFull && !form('').failure ? (
        <Card title={text.fullTitle(most)}>
          <p className="text-pretty text-ink-soft">{text.fullLead}</p>
        </Card>
      ) : (
        <Card title={text.createTitle}>
          <NewOrganizationForm lengths={lengths} form={form('')} />
        </Card>
      )}
    </>
  )
}
