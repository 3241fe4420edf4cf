import { Form, type MetaFunction, useLoaderData } from '@remix-run/react'
import { describeCount, withAdministration } from '#app/administration.server.ts'
import { useAdministrationText } from '#app/administration-text.ts'
import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { Field } from '#app/components/field.tsx'
import { Heading } from '#app/components/heading.tsx'
import { Moment } from '#app/components/moment.tsx'
import { OlderNewer } from '#app/components/older-newer.tsx'
import { Select } from '#app/components/select.tsx'
import { Status } from '#app/components/status.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'

const pageSize = 50
const filters = ['all', 'suspended', 'admin', 'support', 'auditor'] as const
type Filter = (typeof filters)[number]

const filterFields = (filter: Filter) => {
  if (filter === 'all') return {}
  return filter === 'suspended'
    ? ({ filterField: 'banned', filterValue: 'true' } as const)
    : ({ filterField: 'role', filterValue: filter } as const)
}

export const loader = withAdministration(async ({ api, page, url }) => {
  const search = url.searchParams.get('search')?.trim().slice(0, 254).toWellFormed() ?? ''
  const filter = filters.find((name) => name === url.searchParams.get('show')) ?? 'all'
  const after = url.searchParams.get('after')?.slice(0, 128) || undefined
  const query = { ...(search !== '' && { searchValue: search }), ...filterFields(filter) }
  const [{ users, total }, { approvals }, { success: mayCreate }] = await Promise.all([
    api.administration.listUsers({
      ...query,
      limit: String(pageSize),
      ...(after !== undefined && search === '' && { after }),
    }),
    api.administration.listApprovals(),
    api.administration.hasPermission({ permissions: { user: ['create'] } }),
  ])
  const last = users.length === pageSize && search === '' ? users.at(-1)?.id : undefined
  return {
    users: users.map(({ id, name, email, role, banned, emailVerified, createdAt }) => ({
      id,
      name,
      email,
      role,
      banned,
      emailVerified,
      created: momentText(createdAt, page.locale),
    })),
    count: describeCount(total, { isSearch: search !== '', isFiltered: filter !== 'all' }),
    search,
    filter,
    approvals: approvals.map(({ id, userId, email }) => ({ id, userId, email })),
    mayCreate,
    isFirst: after === undefined,
    older: last === undefined ? null : String(new URLSearchParams({ show: filter, after: last })),
  }
})

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.administration.title)

export default function AdministrationUsers() {
  const text = useAdministrationText('administration')
  const { waiting } = useAdministrationText('administrationApproval')
  const { link } = useAdministrationText('administrationNew')
  const { users, count, search, filter, approvals, mayCreate, isFirst, older } = useLoaderData<typeof loader>()
  return (
    <>
      <Heading title={text.users} />
      {mayCreate && (
        <p>
          <TextLink to="/admin/new">{link}</TextLink>
        </p>
      )}
      {approvals.length > 0 && (
        <Card title={waiting(approvals.length)}>
          <ul className="grid gap-2 wrap-anywhere">
            {approvals.map(({ id, userId, email }) => (
              <li key={id}>
                <TextLink to={`/admin/users/${encodeURIComponent(userId)}`}>{email}</TextLink>
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Card>
        <Form method="get" action="/admin" className="grid gap-4">
          <div className="grid gap-4 @md:grid-cols-[1fr_14rem] @md:items-end">
            <Field
              key={search}
              name="search"
              label={text.search}
              hint={text.searchHint}
              type="search"
              defaultValue={search}
              maxLength={254}
              required={false}
              autoComplete="off"
            />
            <Select
              key={filter}
              name="show"
              label={text.show}
              defaultValue={filter}
              options={filters.map((value) => ({ value, label: text.filters[value] }))}
            />
          </div>
          <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
            <SubmitButton look="secondary">{text.find}</SubmitButton>
            {(search !== '' || filter !== 'all') && <TextLink to="/admin">{text.everyone}</TextLink>}
          </div>
        </Form>
        <p role="status" className="text-ink-soft">
          {users.length === 0 ? text.none : text[count.words](count.number)}
        </p>
        {users.length > 0 && (
          <ul className="-mb-4 divide-y divide-line border-t border-line">
            {users.map(({ id, name, email, role, banned, emailVerified, created }) => (
              <li key={id} className="grid gap-x-6 gap-y-1.5 py-4 @md:grid-cols-[1fr_auto] @md:items-center">
                <div className="grid min-w-0 gap-0.5 wrap-anywhere">
                  <p>
                    <TextLink to={`/admin/users/${encodeURIComponent(id)}`}>{email}</TextLink>
                  </p>
                  <p className="text-sm text-ink-soft">
                    {name}
                    {' · '}
                    <Moment {...created} />
                  </p>
                </div>
                <p className="flex flex-wrap gap-2">
                  {role !== 'user' && <Status good>{text.roles[role] ?? role}</Status>}
                  {banned && <Status good={false}>{text.suspended}</Status>}
                  {!emailVerified && <Status good={false}>{text.unverified}</Status>}
                </p>
              </li>
            ))}
          </ul>
        )}
        <OlderNewer
          newest={isFirst ? null : { to: `/admin?show=${filter}`, label: text.newest }}
          older={older === null ? null : { to: `/admin?${older}`, label: text.older }}
        />
      </Card>
    </>
  )
}
