import { data } from '@remix-run/node'
import { Form, type MetaFunction, useLoaderData } from '@remix-run/react'
import { filterQuery, readActivityFilter, type TypedFilter } from '#app/activity-filter.server.ts'
import { refusalNamed, withApi } from '#app/api.server.ts'
import { ActivityList } from '#app/components/activity-list.tsx'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { DayField } from '#app/components/day-field.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { Select } from '#app/components/select.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { describeActivity, keptDays } from '#app/describe-activity.server.ts'
import type { PageError } from '#app/form-result.ts'
import { pageTitle } from '#app/page-title.ts'
import { serverTextIn } from '#app/text.server.ts'
import { useText } from '#app/text.ts'
import { useHydrated } from '#app/use-hydrated.ts'

export const loader = withApi(async ({ api, page, url }) => {
  const before = url.searchParams.get('before') || undefined
  const { typed, filter, wrongDays } = readActivityFilter(url.searchParams)
  const { kinds, wrongDay, wrongFilter } = serverTextIn(page.locale).activityFilter
  const found = wrongDays.length > 0 ? null : await api.profile.listActivity({ ...filter, cursor: before })
  const refusal: PageError | null = found
    ? refusalNamed(url.searchParams.get('refused') ?? '', page.locale)
    : {
        key: 'VALIDATION_ERROR',
        message: wrongFilter,
        fields: Object.fromEntries(wrongDays.map((name) => [name, wrongDay])),
        retryAfter: null,
      }
  const query = filterQuery(typed)
  const loaded = {
    events: found?.events.map((event) => describeActivity(event, page)) ?? [],
    isFirst: before === undefined,
    older: found?.nextCursor ? String(new URLSearchParams([...query, ['before', found.nextCursor]])) : null,
    query: String(query),
    typed,
    kinds,
    refusal,
    keptDays,
  }
  return data(loaded, { status: found ? 200 : 400 })
})

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.activity.title)

export default function ActivitySettings() {
  const { events, isFirst, older, query, typed, kinds, refusal, keptDays } = useLoaderData<typeof loader>()
  const text = useText('activity')
  const address = `/settings/activity${query && '?'}${query}`
  return (
    <Card>
      {refusal && <FormErrors error={refusal} />}
      <p className="text-ink-soft">{text.lead(keptDays)}</p>
      <FilterForm typed={typed} kinds={kinds} wrong={refusal?.fields ?? {}} />
      {events.length === 0 ? <p>{query ? text.noneFound : text.none}</p> : <ActivityList events={events} />}
      {(!isFirst || older) && (
        <p className="mt-4 flex flex-wrap justify-between gap-x-6 gap-y-3">
          {!isFirst && <TextLink to={address}>{text.newest}</TextLink>}
          {older && <TextLink to={`/settings/activity?${older}`}>{text.older}</TextLink>}
        </p>
      )}
      {events.length > 0 && (
        <p className="mt-4">
          <ButtonLink to={`/settings/activity/download${query && '?'}${query}`} look="secondary" reloadDocument>
            {text.download}
          </ButtonLink>
        </p>
      )}
    </Card>
  )
}

type FilterFormProps = {
  typed: TypedFilter
  kinds: readonly { value: string; label: string }[]
  wrong: Record<string, string>
}

/** The filter is in the address, so it works without JavaScript, and a link to it can be kept. */
function FilterForm({ typed, kinds, wrong }: FilterFormProps) {
  const text = useText('activity')
  const isHydrated = useHydrated()
  const isSet = typed.kind !== '' || typed.from !== '' || typed.to !== ''
  return (
    <Form method="get" action="/settings/activity" noValidate className="grid gap-4">
      <div className="grid gap-4 @md:grid-cols-3 @md:items-start">
        <Select key={typed.kind} name="kind" label={text.kind} defaultValue={typed.kind} options={kinds} />
        <DayField key={`from ${typed.from}`} name="from" label={text.from} day={typed.from} error={wrong.from} />
        <DayField key={`to ${typed.to}`} name="to" label={text.to} day={typed.to} error={wrong.to} />
      </div>
      {isHydrated && <input type="hidden" name="zone" value={Intl.DateTimeFormat().resolvedOptions().timeZone} />}
      <p className="hidden text-sm text-ink-soft noscript:block">{text.daysInUtc}</p>
      <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
        <SubmitButton look="secondary">{text.filter}</SubmitButton>
        {isSet && <TextLink to="/settings/activity">{text.all}</TextLink>}
      </div>
    </Form>
  )
}
