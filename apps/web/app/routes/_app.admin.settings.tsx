import { type MetaFunction, useLoaderData } from '@remix-run/react'
import { withAdministration } from '#app/administration.server.ts'
import { useAdministrationText } from '#app/administration-text.ts'
import { Card, Facts } from '#app/components/card.tsx'
import { Heading } from '#app/components/heading.tsx'
import { pageTitle } from '#app/page-title.ts'

export const loader = withAdministration(async ({ api }) => api.administration.listSettings())

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.administration.title)

export default function AdministrationSettings() {
  const text = useAdministrationText('administrationSettings')
  const { settings } = useLoaderData<typeof loader>()
  return (
    <>
      <Heading title={text.title}>{text.lead}</Heading>
      <Card>
        <Facts
          rows={settings.map(({ name, value, isSet, source }) => ({
            name,
            value: value ?? (isSet ? text.set : text.notSet),
            more: <span className="text-sm text-ink-soft">{text.sources[source] ?? source}</span>,
          }))}
        />
      </Card>
    </>
  )
}
