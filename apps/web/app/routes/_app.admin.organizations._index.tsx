import { Form, type MetaFunction, useLoaderData } from '@remix-run/react'
import { describeCount, withAdministration } from '#app/administration.server.ts'
import { useAdministrationText } from '#app/administration-text.ts'
import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { Field } from '#app/components/field.tsx'
import { Heading } from '#app/components/heading.tsx'
import { Moment } from '#app/components/moment.tsx'
import { OlderNewer } from '#app/components/older-newer.tsx'
import { Status } from '#app/components/status.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'

const pageSize = 50

export const loader = withAdministration(async ({ api, page, url }) => {
  const search = url.searchParams.get('search')?.trim().slice(0, 254).toWellFormed() ?? ''
  const after = url.searchParams.get('after')?.slice(0, 128) || undefined
  const { organizations, total } = await api.administration.listOrganizations({
    limit: String(pageSize),
    ...(search !== '' && { searchValue: search }),
    ...(after !== undefined && search === '' && { after }),
  })
  const { words, number } = describeCount(total, { isSearch: search !== '', isFiltered: false })
  return {
    organizations: organizations.map(({ id, name, slug, suspendedAt, createdAt }) => ({
      id,
      name,
      slug,
      isSuspended: suspendedAt !== null,
      created: momentText(createdAt, page.locale),
    })),
    count: { words: words === 'more' ? ('about' as const) : words, number },
    search,
    isFirst: after === undefined,
    older: organizations.length === pageSize && search === '' ? (organizations.at(-1)?.id ?? null) : null,
  }
})

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.administration.title)

export default function AdministrationOrganizations() {
  const text = useAdministrationText('administrationOrganizations')
  const { organizations, count, search, isFirst, older } = useLoaderData<typeof loader>()
  return (
    <>
      <Heading title={text.title} />
      <Card>
        <Form method="get" action="/admin/organizations" className="grid gap-4">
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
          <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
            <SubmitButton look="secondary">{text.find}</SubmitButton>
            {search !== '' && <TextLink to="/admin/organizations">{text.all}</TextLink>}
          </div>
        </Form>
        <p role="status" className="text-ink-soft">
          {organizations.length === 0 ? text.none : text[count.words](count.number)}
        </p>
        {organizations.length > 0 && (
          <ul className="-mb-4 divide-y divide-line border-t border-line">
            {organizations.map(({ id, name, slug, isSuspended, created }) => (
              <li key={id} className="grid gap-x-6 gap-y-1.5 py-4 @md:grid-cols-[1fr_auto] @md:items-center">
                <div className="grid min-w-0 gap-0.5 wrap-anywhere">
                  <p>
                    <TextLink to={`/admin/organizations/${encodeURIComponent(id)}`}>{name}</TextLink>
                  </p>
                  <p className="text-sm text-ink-soft">
                    {slug}
                    {' · '}
                    <Moment {...created} />
                  </p>
                </div>
                {isSuspended && (
                  <p>
                    <Status good={false}>{text.suspended}</Status>
                  </p>
                )}
              </li>
            ))}
          </ul>
        )}
        <OlderNewer
          newest={isFirst ? null : { to: '/admin/organizations', label: text.newest }}
          older={older === null ? null : { to: `/admin/organizations?after=${older}`, label: text.older }}
        />
      </Card>
    </>
  )
}
