import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import type { ReactNode } from 'react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { Moment } from '#app/components/moment.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { Status } from '#app/components/status.tsx'
import { nameOfDevice } from '#app/device-name.ts'
import type { FormFailure } from '#app/form-result.ts'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page, text }) => {
  const sessions = await api.sessions.list()
  const shown = sessions.map(({ token, current, trusted, device, browser, os, ipAddress, createdAt, lastSeenAt }) => ({
    token,
    current,
    trusted,
    name: nameOfDevice(browser, os, text),
    kind: text.sessions.kinds[device ?? ''] ?? null,
    ipAddress,
    signedIn: momentText(createdAt, page.locale),
    lastSeen: momentText(lastSeenAt, page.locale),
  }))
  return { sessions: [...shown.filter(({ current }) => current), ...shown.filter(({ current }) => !current)] }
})

/** The intent is what to end: `others`, `all`, or the one session of that handle. */
export const action = withApiForm(['intent'], async ({ api, field, text }) => {
  const intent = field('intent')
  if (intent === 'all') {
    await api.sessions.revokeAll()
    throw redirect('/login?notice=signed-out-everywhere')
  }
  if (intent === 'others') {
    await api.sessions.revokeOthers()
    return { done: text.sessions.othersEnded }
  }
  await api.sessions.revoke({ token: intent })
  return { done: text.sessions.ended }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.sessions.title)

type ShownSession = ReturnType<typeof useLoaderData<typeof loader>>['sessions'][number]

export default function SessionSettings() {
  const text = useText('sessions')
  const { sessions } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const failureOf = (intent: string) => (result?.error && result.typed.intent === intent ? result : undefined)
  const shown = [
    'all',
    ...(sessions.length > 1 ? ['others'] : []),
    ...sessions.filter(({ current }) => !current).map(({ token }) => token),
  ]
  // What was to be ended is on the page no more, but the person must learn that it did not work.
  const formlessError = result?.error && !shown.includes(result.typed.intent ?? '') ? result.error : undefined
  return (
    <>
      <Card title={text.title}>
        {formlessError && <FormErrors error={formlessError} />}
        {result && !result.error && (
          <Alert key={sessions.length} look="success" landing>
            {result.done}
          </Alert>
        )}
        <p className="text-ink-soft">{text.lead}</p>
        <ul className="-mb-4 divide-y divide-line border-t border-line">
          {sessions.map((session) => (
            <SessionRow key={session.token} {...session} failure={failureOf(session.token)} />
          ))}
        </ul>
      </Card>
      <Card title={text.lostTitle}>
        <p className="text-ink-soft">{text.lostLead}</p>
        <div className="flex flex-wrap gap-3">
          {sessions.length > 1 && (
            <PageForm
              action="/settings/sessions"
              intent="others"
              failure={failureOf('others')}
              className="grid justify-items-start gap-3"
            >
              <SubmitButton>{text.endOthers}</SubmitButton>
            </PageForm>
          )}
          <PageForm
            action="/settings/sessions"
            intent="all"
            failure={failureOf('all')}
            reloadDocument
            className="grid justify-items-start gap-3"
          >
            <SubmitButton look="secondary">{text.endAll}</SubmitButton>
          </PageForm>
        </div>
      </Card>
    </>
  )
}

type SessionRowProps = ShownSession & { failure: FormFailure | undefined }

function SessionRow({ token, current, trusted, name, kind, ipAddress, signedIn, lastSeen, failure }: SessionRowProps) {
  const text = useText('sessions')
  return (
    <li className="grid gap-x-6 gap-y-3 py-4 @md:grid-cols-[1fr_auto] @md:items-start">
      <div className="grid min-w-0 gap-1.5">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-semibold wrap-anywhere">
          {name}
          {kind && <span className="font-normal text-ink-soft">{kind}</span>}
          {current && <Status good>{text.current}</Status>}
          {trusted && <span className="font-normal text-ink-soft">{text.trusted}</span>}
        </p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-[0.8125rem] sm:text-sm">
          <Detail name={text.lastSeen}>
            <Moment {...lastSeen} />
          </Detail>
          <Detail name={text.signedIn}>
            <Moment {...signedIn} />
          </Detail>
          <Detail name={text.address}>{ipAddress || text.unknown}</Detail>
        </dl>
      </div>
      {!current && (
        <PageForm action="/settings/sessions" intent={token} failure={failure} className="grid justify-items-start gap-3">
          <SubmitButton look="secondary">
            {text.end}
            <span className="sr-only">{name}</span>
          </SubmitButton>
        </PageForm>
      )}
    </li>
  )
}

function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  )
}
