import { may, type Role, roles, rolesUpTo } from '@floorpass/api/contracts'
import { Form, type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { EmptyState } from '#app/components/empty-state.tsx'
import { Field } from '#app/components/field.tsx'
import { MemberRow } from '#app/components/member-row.tsx'
import { ResultAlert } from '#app/components/result-alert.tsx'
import { Select } from '#app/components/select.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { organizationForms, pathOfOrganization } from '#app/organization-forms.tsx'
import { loadOrganization } from '#app/organization-page.server.ts'
import { roleName, roleOptions } from '#app/organization-roles.ts'
import { pageTitle } from '#app/page-title.ts'
import { picturePath } from '#app/picture-path.server.ts'
import { useText } from '#app/text.ts'

const perPage = 20
const longestSearch = 100

export const loader = withApi(async (args) => {
  const { api, url, text } = args
  const { user, role, organization } = await loadOrganization(args)
  // By character: half of a pair is no text.
  const search = [...(url.searchParams.get('search') ?? '').trim()].slice(0, longestSearch).join('')
  const ofRole = roles.find((known) => known === url.searchParams.get('role')) ?? ''
  const list = (page: number) =>
    api.organizations.listMembers({
      organizationId: organization.id,
      limit: perPage,
      offset: (page - 1) * perPage,
      ...(search !== '' && { search }),
      ...(ofRole !== '' && { filterField: 'role' as const, filterValue: ofRole }),
    })
  const asked = Math.min(Math.max(Math.trunc(Number(url.searchParams.get('page'))) || 1, 1), 1000)
  const found = await list(asked)
  const pageCount = Math.max(Math.ceil(found.total / perPage), 1)
  const page = Math.min(asked, pageCount)
  const { members, total } = page === asked ? found : await list(page)
  const reaches = (other: Role) => rolesUpTo(role).includes(other)
  return {
    ...organization,
    search,
    ofRole,
    page,
    pageCount,
    total,
    isFiltered: search !== '' || ofRole !== '',
    filters: [{ value: '', label: text.organization.anyRole }, ...roleOptions(roles, text)],
    members: members.map((member) => ({
      id: member.id,
      name: member.user.name,
      email: member.user.email,
      picture: picturePath(member.user.image),
      role: member.role,
      roleName: roleName(member.role, text),
      isAccepted: member.acceptedAt !== null,
      isYou: member.userId === user.id,
      mayChange: may(role, 'member', 'update') && reaches(member.role as Role),
      mayRemove: may(role, 'member', 'delete') && reaches(member.role as Role) && member.userId !== user.id,
    })),
  }
})

/** The intent names what to do and with which member: `role:<member>`, `owner:<member>`, `remove:<member>`. */
export const action = withApiForm(['intent', 'role'], async ({ api, field, text }) => {
  const organizationId = field('organizationId')
  const [verb, id = ''] = field('intent').split(':')
  if (verb === 'role' || verb === 'owner') {
    await api.organizations.updateMemberRole({ organizationId, memberId: id, role: verb === 'owner' ? verb : field('role') })
    return { done: text.organization.done.role }
  }
  if (verb !== 'remove') throw new Response('Bad Request', { status: 400 })
  await api.organizations.removeMember({ organizationId, memberIdOrEmail: id })
  return { done: text.organization.done.remove }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.organization.membersTitle)

export default function OrganizationMembers() {
  const text = useText('organization')
  const organization = useLoaderData<typeof loader>()
  const { id, slug, members, search, ofRole, page, pageCount, total, isFiltered, mayInvite } = organization
  const path = pathOfOrganization(slug, 'members')
  const pathOfPage = (number: number) => {
    const query = new URLSearchParams([
      ...(search === '' ? [] : [['search', search]]),
      ...(ofRole === '' ? [] : [['role', ofRole]]),
      ...(number === 1 ? [] : [['page', String(number)]]),
    ])
    return query.size === 0 ? path : `${path}?${query}`
  }
  const result = useActionData<typeof action>()
  const { form, hidden } = organizationForms(id, pathOfPage(page), result)
  const intents = members.flatMap((member) => [
    ...(member.mayChange ? [`role:${member.id}`, `owner:${member.id}`] : []),
    ...(member.mayRemove ? [`remove:${member.id}`] : []),
  ])
  return (
    <Card title={text.membersTitle}>
      <ResultAlert result={result} intents={intents} />
      <Form
        key={`${search} ${ofRole}`}
        method="get"
        action={path}
        role="search"
        className="grid gap-4 @lg:grid-cols-[1fr_12rem_9rem] @lg:items-end"
      >
        <Field
          name="search"
          type="search"
          label={text.search}
          defaultValue={search}
          maxLength={longestSearch}
          autoComplete="off"
          required={false}
        />
        <Select name="role" id="role-filter" label={text.role} defaultValue={ofRole} options={organization.filters} />
        <SubmitButton look="secondary" wide>
          {text.find}
        </SubmitButton>
      </Form>
      <p role="status" className="text-sm text-ink-soft">
        {isFiltered ? text.found(total) : text.count(total)}
        {isFiltered && (
          <>
            {' '}
            <TextLink to={path}>{text.showAll}</TextLink>
          </>
        )}
      </p>
      {members.length === 0 ? (
        <EmptyState title={text.noMatch} lead={text.noMatchLead} />
      ) : (
        <ul className="-mb-4 divide-y divide-line border-t border-line">
          {members.map((member) => (
            <MemberRow
              key={`${member.id}-${member.role}`}
              {...member}
              givable={organization.givable}
              form={form}
              hidden={hidden}
            />
          ))}
        </ul>
      )}
      {pageCount > 1 && (
        <nav aria-label={text.pagesOfMembers} className="mt-4 flex flex-wrap items-baseline justify-between gap-x-6 gap-y-3">
          {page > 1 ? <TextLink to={pathOfPage(page - 1)}>{text.previous}</TextLink> : <span />}
          <span className="text-sm text-ink-soft">{text.pageOf(page, pageCount)}</span>
          {page < pageCount ? <TextLink to={pathOfPage(page + 1)}>{text.next}</TextLink> : <span />}
        </nav>
      )}
      {!isFiltered && total === 1 && mayInvite && (
        <EmptyState title={text.aloneTitle} lead={text.firstMemberLead}>
          <ButtonLink to={pathOfOrganization(slug, 'invitations')}>{text.inviteFirst}</ButtonLink>
        </EmptyState>
      )}
    </Card>
  )
}
