import { type MetaFunction, useLoaderData } from '@remix-run/react'
import { withApi } from '#app/api.server.ts'
import { ActivityList } from '#app/components/activity-list.tsx'
import { Card } from '#app/components/card.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { describeActivity, keptDays } from '#app/describe-activity.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page, url }) => {
  const before = url.searchParams.get('before') || undefined
  const { events, nextCursor } = await api.profile.listActivity({ cursor: before })
  return { events: events.map((event) => describeActivity(event, page)), isFirst: before === undefined, nextCursor, keptDays }
})

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.activity.title)

export default function ActivitySettings() {
  const { events, isFirst, nextCursor, keptDays } = useLoaderData<typeof loader>()
  const text = useText('activity')
  return (
    <Card title={text.title}>
      <p className="text-ink-soft">{text.lead(keptDays)}</p>
      {events.length === 0 ? <p>{text.none}</p> : <ActivityList events={events} />}
      {(!isFirst || nextCursor) && (
        <p className="mt-4 flex flex-wrap justify-between gap-x-6 gap-y-3">
          {!isFirst && <TextLink to="/settings/activity">{text.newest}</TextLink>}
          {nextCursor && <TextLink to={`/settings/activity?before=${encodeURIComponent(nextCursor)}`}>{text.older}</TextLink>}
        </p>
      )}
    </Card>
  )
}
