import { Form, type MetaFunction, useLoaderData } from '@remix-run/react'
import { withAdministration } from '#app/administration.server.ts'
import { useAdministrationText } from '#app/administration-text.ts'
import { readAuditFilter } from '#app/audit-filter.server.ts'
import { describeAuditEvent, listKinds, mostExported, noneIfUnknown } from '#app/audit-page.server.ts'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { Card, Detail } from '#app/components/card.tsx'
import { DayField } from '#app/components/day-field.tsx'
import { Field } from '#app/components/field.tsx'
import { Heading } from '#app/components/heading.tsx'
import { Moment } from '#app/components/moment.tsx'
import { OlderNewer } from '#app/components/older-newer.tsx'
import { Select } from '#app/components/select.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { pageTitle } from '#app/page-title.ts'
import { useHydrated } from '#app/use-hydrated.ts'

const eventsShown = 50

export const loader = withAdministration(async ({ api, page, url }) => {
  const before = url.searchParams.get('before')?.slice(0, 128) || undefined
  const { typed, filter, wrongDays, query } = readAuditFilter(url.searchParams)
  const request = { ...filter, limit: String(eventsShown), ...(before !== undefined && { before }) }
  const { events } =
    wrongDays.length > 0 ? { events: [] } : await api.administration.listAuditEvents(request).catch(noneIfUnknown)
  const last = events.length === eventsShown ? events.at(-1)?.id : undefined
  return {
    events: events.map((event) => describeAuditEvent(event, page)),
    typed,
    wrongDays,
    kinds: listKinds(page),
    query: String(query),
    isFirst: before === undefined,
    older: last === undefined ? null : String(new URLSearchParams([...query, ['before', last]])),
    mostExported,
  }
})

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.administration.title)

export default function AdministrationActivity() {
  const text = useAdministrationText('administrationActivity')
  const { events, query, isFirst, older, mostExported } = useLoaderData<typeof loader>()
  return (
    <>
      <Heading title={text.title} />
      <Card>
        <FilterForm />
        {events.length === 0 ? (
          <p role="status" className="text-ink-soft">
            {text.none}
          </p>
        ) : (
          <ol className="-mb-4 divide-y divide-line border-t border-line">
            {events.map((event) => (
              <li key={event.id} className="grid min-w-0 gap-1 py-3 wrap-anywhere">
                <p className={`font-medium ${event.succeeded ? '' : 'text-danger'}`}>{event.what}</p>
                <p className="text-sm text-ink-soft">
                  {!event.succeeded && `${text.failed} · `}
                  <Moment {...event.when} />
                </p>
                <p className="text-sm">
                  <TextLink to={`/admin/users/${encodeURIComponent(event.userId)}`}>{event.userId}</TextLink>
                </p>
                <details className="text-sm">
                  <summary className="min-h-6 w-fit cursor-pointer text-ink-soft">{text.details}</summary>
                  <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5">
                    <Detail name={text.event}>{event.id}</Detail>
                    {event.actor && <Detail name={text.by}>{event.actor}</Detail>}
                    {event.organizationId && <Detail name={text.organization}>{event.organizationId}</Detail>}
                    {event.address && <Detail name={text.address}>{event.address}</Detail>}
                    {event.userAgent && <Detail name={text.device}>{event.userAgent}</Detail>}
                    {event.details.map(({ name, value }) => (
                      <Detail key={name} name={name}>
                        {value}
                      </Detail>
                    ))}
                  </dl>
                </details>
              </li>
            ))}
          </ol>
        )}
        <OlderNewer
          newest={isFirst ? null : { to: `/admin/activity?${query}`, label: text.newest }}
          older={older === null ? null : { to: `/admin/activity?${older}`, label: text.older }}
        />
        {events.length > 0 && (
          <div className="mt-4 grid gap-2">
            <p>
              <ButtonLink to={`/admin/activity/download?${query}`} look="secondary" reloadDocument>
                {text.download}
              </ButtonLink>
            </p>
            <p className="text-sm text-ink-soft">{text.most(mostExported)}</p>
          </div>
        )}
      </Card>
    </>
  )
}

/** The filter is in the address, as that of one's own activity. */
function FilterForm() {
  const text = useAdministrationText('administrationActivity')
  const { typed, kinds, wrongDays, query } = useLoaderData<typeof loader>()
  const isHydrated = useHydrated()
  const wrong = (name: 'from' | 'to') => (wrongDays.includes(name) ? text.wrongDay : undefined)
  return (
    <Form method="get" action="/admin/activity" noValidate className="grid gap-4">
      <div className="grid gap-4 @md:grid-cols-2 @md:items-end">
        <Field
          key={`user ${typed.user}`}
          name="user"
          label={text.user}
          hint={text.userHint}
          defaultValue={typed.user}
          maxLength={128}
          required={false}
          autoComplete="off"
        />
        <Select
          key={typed.kind}
          name="kind"
          label={text.kind}
          defaultValue={typed.kind}
          options={[{ value: '', label: text.every }, ...kinds]}
        />
        <DayField key={`from ${typed.from}`} name="from" label={text.from} day={typed.from} error={wrong('from')} />
        <DayField key={`to ${typed.to}`} name="to" label={text.to} day={typed.to} error={wrong('to')} />
      </div>
      {isHydrated && <input type="hidden" name="zone" value={Intl.DateTimeFormat().resolvedOptions().timeZone} />}
      <p className="hidden text-sm text-ink-soft noscript:block">{text.daysInUtc}</p>
      <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
        <SubmitButton look="secondary">{text.filter}</SubmitButton>
        {query !== '' && <TextLink to="/admin/activity">{text.all}</TextLink>}
      </div>
    </Form>
  )
}
