import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withAdministration } from '#app/administration.server.ts'
import { useAdministrationText } from '#app/administration-text.ts'
import { withApiForm } from '#app/api.server.ts'
import { SubmitButton } from '#app/components/button.tsx'
import { Card, Detail } from '#app/components/card.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { Heading } from '#app/components/heading.tsx'
import { Moment } from '#app/components/moment.tsx'
import { OlderNewer } from '#app/components/older-newer.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { ResultAlert } from '#app/components/result-alert.tsx'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'

const mailsShown = 50

export const loader = withAdministration(async ({ api, page, url }) => {
  const after = url.searchParams.get('after')?.slice(0, 128) || undefined
  const may = async (act: string) => (await api.administration.hasPermission({ permissions: { mail: [act] } })).success
  const [{ mails }, mayRetry, mayDrop] = await Promise.all([
    api.administration.listRefusedMails({ limit: String(mailsShown), ...(after !== undefined && { after }) }),
    may('retry'),
    may('drop'),
  ])
  return {
    mails: mails.map(({ id, to, subject, lastError, attempts, createdAt, expiresAt }) => ({
      id,
      to,
      subject,
      lastError,
      attempts,
      isExpired: expiresAt !== null && expiresAt.getTime() <= Date.now(),
      created: momentText(createdAt, page.locale),
    })),
    mayRetry,
    mayDrop,
    isFirst: after === undefined,
    newer: mails.length === mailsShown ? (mails.at(-1)?.id ?? null) : null,
  }
})

/** The intent is the act and the id of the mail: `retry <id>` or `drop <id>`. */
export const action = withApiForm(['intent'], async ({ api, field, text }) => {
  const [act, id = ''] = field('intent').split(' ')
  const { retried, dropped } = text.administrationMails
  if (act === 'retry') await api.administration.retryRefusedMail({ id })
  else await api.administration.dropRefusedMail({ id })
  return { done: act === 'retry' ? retried : dropped }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.administration.title)

export default function AdministrationMails() {
  const text = useAdministrationText('administrationMails')
  const { mails, mayRetry, mayDrop, isFirst, newer } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const form = (intent: string) => {
    const failure = result?.error && result.typed.intent === intent ? result : undefined
    const remedy = reauthenticateLink(failure?.error, { path: '/admin/confirm', redirectTo: '/admin/mails' })
    return { action: '/admin/mails', intent, failure, remedy }
  }
  const shown = mails.flatMap(({ id }) => [`retry ${id}`, `drop ${id}`])
  return (
    <>
      <Heading title={text.title}>{text.lead}</Heading>
      <ResultAlert result={result} intents={shown} />
      <Card>
        {mails.length === 0 ? (
          <p className="text-ink-soft">{text.none}</p>
        ) : (
          <ul className="-my-4 divide-y divide-line">
            {mails.map(({ id, to, subject, lastError, attempts, isExpired, created }) => (
              <li key={id} className="grid gap-x-6 gap-y-3 py-4 @md:grid-cols-[1fr_auto] @md:items-start">
                <div className="grid min-w-0 gap-1.5 wrap-anywhere">
                  <p className="font-semibold">{to ?? text.unreadable}</p>
                  {subject && <p>{subject}</p>}
                  <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-sm">
                    <Detail name={text.created}>
                      <Moment {...created} />
                    </Detail>
                    <Detail name={text.attempts}>{attempts}</Detail>
                    {lastError && <Detail name={text.answer}>{lastError}</Detail>}
                  </dl>
                  {isExpired && <p className="text-sm">{text.expired}</p>}
                </div>
                <div className="flex flex-wrap gap-3">
                  {mayRetry && !isExpired && (
                    <PageForm {...form(`retry ${id}`)}>
                      <SubmitButton look="secondary">
                        {text.retry}
                        <span className="sr-only"> {to}</span>
                      </SubmitButton>
                    </PageForm>
                  )}
                  {mayDrop && (
                    <ConfirmButton
                      name={`drop-${id}`}
                      label={text.drop}
                      of={to ?? id}
                      title={text.dropTitle(to ?? id)}
                      lead={text.dropLead}
                      confirm={text.dropConfirm}
                      form={form(`drop ${id}`)}
                    />
                  )}
                </div>
              </li>
            ))}
          </ul>
        )}
        <OlderNewer
          newest={isFirst ? null : { to: '/admin/mails', label: text.oldest }}
          older={newer === null ? null : { to: `/admin/mails?after=${newer}`, label: text.newer }}
        />
      </Card>
    </>
  )
}
