import { type MetaFunction, useLoaderData } from '@remix-run/react'
import { withApi } from '#app/api.server.ts'
import { Card } from '#app/components/card.tsx'
import { EmptyState } from '#app/components/empty-state.tsx'
import { Moment } from '#app/components/moment.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { keptDays } from '#app/describe-activity.server.ts'
import { describeOrganizationActivity } from '#app/describe-organization-activity.server.ts'
import { pathOfOrganization } from '#app/organization-forms.tsx'
import { loadOrganization } from '#app/organization-page.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async (args) => {
  const { api, page, url } = args
  const { organization } = await loadOrganization(args)
  const before = url.searchParams.get('before') || undefined
  const { events, nextCursor } = await api.organizations.listActivity({ organizationId: organization.id, cursor: before })
  return {
    slug: organization.slug,
    events: events.map((event) => describeOrganizationActivity(event, page)),
    isFirst: before === undefined,
    nextCursor,
    keptDays,
  }
})

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.organization.activityTitle)

export default function OrganizationActivity() {
  const text = useText('organization')
  const { slug, events, isFirst, nextCursor, keptDays } = useLoaderData<typeof loader>()
  const path = pathOfOrganization(slug, 'activity')
  return (
    <Card title={text.pages.activity}>
      <p className="text-ink-soft">{text.activityLead(keptDays)}</p>
      {events.length === 0 ? (
        <EmptyState title={text.noActivity} lead={text.noActivityLead} />
      ) : (
        <ul className="-mb-4 divide-y divide-line border-t border-line">
          {events.map(({ id, what, when }) => (
            <li key={id} className="grid gap-0.5 py-4 wrap-anywhere">
              <p className="font-medium">{what}</p>
              <p className="text-sm text-ink-soft">
                <Moment {...when} />
              </p>
            </li>
          ))}
        </ul>
      )}
      {(!isFirst || nextCursor) && (
        <p className="mt-4 flex flex-wrap justify-between gap-x-6 gap-y-3">
          {!isFirst && <TextLink to={path}>{text.newest}</TextLink>}
          {nextCursor && <TextLink to={`${path}?before=${encodeURIComponent(nextCursor)}`}>{text.older}</TextLink>}
        </p>
      )}
    </Card>
  )
}
