import { type MetaFunction, useLoaderData } from '@remix-run/react'
import { withAdministration } from '#app/administration.server.ts'
import { useAdministrationText } from '#app/administration-text.ts'
import { Card } from '#app/components/card.tsx'
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
        <dl className="-my-4 divide-y divide-line">
          {settings.map(({ name, value, isSet, source }) => (
            <div key={name} className="grid gap-x-6 gap-y-0.5 py-3 @md:grid-cols-[18rem_1fr_auto] @md:items-baseline">
              <dt className="min-w-0 text-sm text-ink-soft wrap-anywhere">{name}</dt>
              <dd className={`min-w-0 wrap-anywhere ${isSet ? 'font-medium' : 'text-ink-soft'}`}>
                {value ?? (isSet ? text.set : text.notSet)}
              </dd>
              <dd className="text-sm text-ink-soft">{text.sources[source] ?? source}</dd>
            </div>
          ))}
        </dl>
      </Card>
    </>
  )
}
