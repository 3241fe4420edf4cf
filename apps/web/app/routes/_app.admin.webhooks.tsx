import { type MetaFunction, useLoaderData } from '@remix-run/react'
import { exactCount, throwNotFound, withAdministration } from '#app/administration.server.ts'
import { useAdministrationText } from '#app/administration-text.ts'
import { Card, Detail } from '#app/components/card.tsx'
import { Heading } from '#app/components/heading.tsx'
import { Moment } from '#app/components/moment.tsx'
import { Status } from '#app/components/status.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'

const deliveriesShown = 50

export const loader = withAdministration(async ({ api, page, url }) => {
  const webhookId = url.searchParams.get('webhook')?.slice(0, 128) || null
  const moment = (date: Date | null) => date && momentText(date, page.locale)
  const [{ webhooks }, { services }, found] = await Promise.all([
    api.administration.listWebhooks(),
    api.administration.listServices(),
    webhookId === null ? null : api.administration.listWebhookDeliveries({ webhookId, limit: String(deliveriesShown) }),
  ]).catch(throwNotFound)
  return {
    webhooks: webhooks.map(({ id, url, types, contact, waiting, failingSince, pausedAt, pauseReason }) => ({
      id,
      url,
      types,
      contact,
      waiting: Math.min(waiting, exactCount),
      isMore: waiting > exactCount,
      pauseReason,
      since: moment(pausedAt ?? failingSince),
    })),
    services: services.map(({ name, scopes, secrets }) => ({
      name,
      scopes,
      uses: secrets.reduce((sum, { uses }) => sum + uses, 0),
      lastUsed: moment(secrets.map(({ lastUsedAt }) => lastUsedAt).sort((one, other) => Number(other) - Number(one))[0] ?? null),
      endsAt: moment(secrets.find(({ expiresAt }) => Number(expiresAt) > Date.now())?.expiresAt ?? null),
    })),
    target: webhooks.find(({ id }) => id === webhookId)?.url ?? '',
    deliveries:
      found?.deliveries.map(({ event, type, status, attempts, answer, createdAt }) => ({
        event,
        type,
        status,
        attempts,
        answer: answer === null ? null : String(answer),
        created: momentText(createdAt, page.locale),
      })) ?? null,
  }
})

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.administration.title)

export default function AdministrationWebhooks() {
  const text = useAdministrationText('administrationWebhooks')
  const { webhooks, services, deliveries, target } = useLoaderData<typeof loader>()
  return (
    <>
      <Heading title={text.title} />
      {deliveries && (
        <Card title={text.deliveriesOf(target)}>
          {deliveries.length === 0 ? (
            <p className="text-ink-soft">{text.noDeliveries}</p>
          ) : (
            <ol className="-mb-4 divide-y divide-line border-t border-line">
              {deliveries.map(({ event, type, status, attempts, answer, created }, index) => (
                // A replay sends an event again.
                <li key={`${event} ${index}`} className="grid gap-x-6 gap-y-1.5 py-3 @md:grid-cols-[1fr_auto] @md:items-center">
                  <div className="grid min-w-0 gap-0.5 wrap-anywhere">
                    <p className="font-medium">{type}</p>
                    <p className="text-sm text-ink-soft">{event}</p>
                    <p className="text-sm text-ink-soft">
                      <Moment {...created} />
                      {' · '}
                      {[text.attempts(attempts), answer].filter(Boolean).join(' · ')}
                    </p>
                  </div>
                  <p>
                    <Status good={status !== 'failed'}>{text.statuses[status] ?? status}</Status>
                  </p>
                </li>
              ))}
            </ol>
          )}
        </Card>
      )}
      <Card title={text.webhooks}>
        {webhooks.length === 0 ? (
          <p className="text-ink-soft">{text.none}</p>
        ) : (
          <ul className="-mb-4 divide-y divide-line border-t border-line">
            {webhooks.map(({ id, url, types, contact, waiting, isMore, pauseReason, since }) => (
              <li key={id} className="grid gap-x-6 gap-y-1.5 py-4 @md:grid-cols-[1fr_auto] @md:items-start">
                <div className="grid min-w-0 gap-1.5 wrap-anywhere">
                  <p className="font-semibold">{url}</p>
                  <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-sm">
                    {since && (
                      <Detail name={text.since}>
                        <Moment {...since} />
                      </Detail>
                    )}
                    <Detail name={text.types}>{types.join(', ') || text.allTypes}</Detail>
                    <Detail name={text.waiting}>{isMore ? text.moreThan(waiting) : waiting}</Detail>
                    <Detail name={text.contact}>{contact}</Detail>
                  </dl>
                  <p className="text-sm">
                    <TextLink to={`/admin/webhooks?webhook=${id}`}>
                      {text.deliveries}
                      <span className="sr-only"> {url}</span>
                    </TextLink>
                  </p>
                </div>
                <p>
                  <Status good={since === null}>
                    {pauseReason ? (text.paused[pauseReason] ?? pauseReason) : since ? text.failing : text.delivering}
                  </Status>
                </p>
              </li>
            ))}
          </ul>
        )}
      </Card>
      <Card title={text.services}>
        {services.length === 0 ? (
          <p className="text-ink-soft">{text.noServices}</p>
        ) : (
          <ul className="-mb-4 divide-y divide-line border-t border-line">
            {services.map(({ name, scopes, uses, lastUsed, endsAt }) => (
              <li key={name} className="grid min-w-0 gap-1.5 py-4 wrap-anywhere">
                <p className="font-semibold">{name}</p>
                <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-sm">
                  <Detail name={text.scopes}>{scopes.join(', ')}</Detail>
                  <Detail name={text.used}>
                    {lastUsed ? <Moment {...lastUsed} /> : text.never}
                    {uses > 0 && ` · ${text.calls(uses)}`}
                  </Detail>
                  {endsAt && (
                    <Detail name={text.endsAt}>
                      <Moment {...endsAt} />
                    </Detail>
                  )}
                </dl>
              </li>
            ))}
          </ul>
        )}
      </Card>
    </>
  )
}
