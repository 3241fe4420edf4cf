import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { SubmitButton } from '#app/components/button.tsx'
import { Card, Detail } from '#app/components/card.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { DeviceIcon } from '#app/components/device-icon.tsx'
import { EndOtherSessions } from '#app/components/end-other-sessions.tsx'
import { Field } from '#app/components/field.tsx'
import { Moment } from '#app/components/moment.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { ResultAlert } from '#app/components/result-alert.tsx'
import { Status } from '#app/components/status.tsx'
import { describeDevice } from '#app/describe-device.server.ts'
import type { FormFailure } from '#app/form-result.ts'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'
import { useFrame } from '#app/use-frame.ts'

export const loader = withApi(async ({ api, page, text }) => {
  const sessions = await api.sessions.list()
  const shown = sessions.map(({ token, current, trusted, nickname, impersonatedBy, createdAt, lastSeenAt, ...device }) => ({
    token,
    current,
    trusted,
    nickname,
    isByAdministrator: impersonatedBy !== null,
    device: describeDevice(device, text),
    signedIn: momentText(createdAt, page.locale),
    // This request is a use of the session that asks, and the stored time is exact to ten minutes only.
    lastSeen: momentText(current ? new Date() : lastSeenAt, page.locale),
  }))
  return { sessions: [...shown.filter(({ current }) => current), ...shown.filter(({ current }) => !current)] }
})

/** The intent is what to end: `others`, `all`, or the one session of that handle; or which one to name: `name <handle>`. */
export const action = withApiForm(['intent', 'nickname'], async ({ api, field, text }) => {
  const intent = field('intent')
  if (intent === 'all') {
    await api.sessions.revokeAll()
    throw redirect('/login?notice=signed-out-everywhere')
  }
  if (intent === 'others') {
    await api.sessions.revokeOthers()
    return { done: text.sessions.othersEnded }
  }
  const [act, token = ''] = intent.split(' ')
  if (act === 'name') {
    await api.sessions.name({ token, nickname: field('nickname').trim() || null })
    return { done: text.sessions.named }
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
    ...sessions.map(({ token }) => `name ${token}`),
  ]
  return (
    <>
      <Card>
        <ResultAlert result={result} intents={shown} />
        <p className="text-ink-soft">{text.lead}</p>
        <ul className="-mb-4 divide-y divide-line border-t border-line">
          {sessions.map((session) => (
            <SessionRow key={session.token} {...session} failureOf={failureOf} />
          ))}
        </ul>
      </Card>
      <Card title={text.lostTitle}>
        <p className="text-ink-soft">{text.lostLead}</p>
        <div className="flex flex-wrap gap-3">
          {sessions.length > 1 && <EndOtherSessions look="primary" failure={failureOf('others')} />}
          <ConfirmButton
            name="all"
            label={text.endAll}
            title={text.endAllTitle}
            lead={text.endAllLead}
            confirm={text.endAllConfirm}
            form={{ action: '/settings/sessions', intent: 'all', failure: failureOf('all'), reloadDocument: true }}
          />
        </div>
      </Card>
    </>
  )
}

type SessionRowProps = ShownSession & { failureOf: (intent: string) => FormFailure | undefined }

function SessionRow({
  token,
  current,
  trusted,
  nickname,
  isByAdministrator,
  device,
  signedIn,
  lastSeen,
  failureOf,
}: SessionRowProps) {
  const text = useText('sessions')
  const { appName = '' } = useFrame() ?? {}
  const name = isByAdministrator ? text.byAdministrator(appName) : (nickname ?? device.name)
  const who = isByAdministrator ? text.administrator(appName) : name
  const kind = text.kinds[device.kind]
  const naming = `name ${token}`
  return (
    <li className="grid gap-x-6 gap-y-3 py-4 @md:grid-cols-[1fr_auto] @md:items-start">
      <div className="grid min-w-0 gap-1.5">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-semibold wrap-anywhere">
          {!isByAdministrator && <DeviceIcon kind={device.kind} />}
          {name}
          {kind && <span className="font-normal text-ink-soft">{kind}</span>}
          {current && <Status good>{text.current}</Status>}
          {trusted && <span className="font-normal text-ink-soft">{text.trusted}</span>}
        </p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-[0.8125rem] sm:text-sm">
          {nickname && !isByAdministrator && <Detail name={text.browser}>{device.name}</Detail>}
          <Detail name={text.lastSeen}>
            <Moment {...lastSeen} />
          </Detail>
          <Detail name={isByAdministrator ? text.opened : text.signedIn}>
            <Moment {...signedIn} />
          </Detail>
          {!isByAdministrator && <Detail name={text.address}>{device.network || text.unknown}</Detail>}
          {device.place && <Detail name={text.place}>{device.place}</Detail>}
        </dl>
        {!isByAdministrator && (
          <details open={failureOf(naming) !== undefined || undefined}>
            <summary className="w-fit cursor-pointer py-1 text-sm font-medium text-accent">
              {text.naming}
              <span className="sr-only"> {name}</span>
            </summary>
            <PageForm action="/settings/sessions" intent={naming} failure={failureOf(naming)} className="grid gap-4 py-3">
              <Field
                key={nickname}
                name="nickname"
                id={`name-${token}`}
                label={text.name}
                hint={text.nameHint}
                defaultValue={nickname ?? ''}
                maxLength={50}
                required={false}
                autoComplete="off"
              />
              <div>
                <SubmitButton look="secondary">{text.saveName}</SubmitButton>
              </div>
            </PageForm>
          </details>
        )}
      </div>
      {!current && (
        <ConfirmButton
          name={`end:${token}`}
          label={text.end}
          of={who}
          title={text.endTitle(who)}
          lead={isByAdministrator ? text.administratorLead : text.endLead}
          confirm={text.endConfirm(who)}
          form={{ action: '/settings/sessions', intent: token, failure: failureOf(token) }}
        />
      )}
    </li>
  )
}
