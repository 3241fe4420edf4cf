import { allowListLengths, allowListLimits } from '@floorpass/api/contracts'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { AllowListEntries } from '#app/components/allow-list-entries.tsx'
import { AllowListSwitch } from '#app/components/allow-list-switch.tsx'
import { NewAllowListEntry } from '#app/components/new-allow-list-entry.tsx'
import { ResultAlert } from '#app/components/result-alert.tsx'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { readPasskey } from '#app/passkey-field.server.ts'

export const loader = withApi(async ({ api, page }) => {
  const { isReauthenticated } = await api.sessions.require()
  const [{ enabled, endsAt, coolingOffHours, entries }, { hasPasskey }] = await Promise.all([
    api.allowList.list(),
    api.twoFactor.get(),
  ])
  return {
    isReauthenticated,
    needsPasskey: page.passkeys && hasPasskey,
    hours: coolingOffHours,
    lengths: allowListLengths,
    most: allowListLimits.perUser,
    enabled,
    ends: endsAt && momentText(endsAt, page.locale),
    entries: entries.map(({ id, kind, value, label, usableFrom, usable }) => ({
      id,
      kind,
      value,
      name: label === '' ? shorten(value) : label,
      counts: momentText(usableFrom, page.locale),
      usable,
    })),
  }
})

const shorten = (value: string): string => (value.length > 20 ? `${value.slice(0, 8)}…${value.slice(-8)}` : value)

/** The intent is `add`, `enable`, `disable` or `remove <id>`. */
export const action = withApiForm(['intent', 'kind', 'value', 'label'], async ({ api, field, text }) => {
  const [act, id = ''] = field('intent').split(' ')
  const passkey = field('passkey') === '' ? undefined : readPasskey(field)
  const { done } = text.allowList
  if (act === 'enable' || act === 'disable') {
    await api.allowList.setEnabled({ enabled: act === 'enable', passkey })
    return { done: done[act] }
  }
  if (act === 'remove') {
    await api.allowList.remove({ id })
    return { done: done.remove }
  }
  if (act === 'add') {
    await api.allowList.add({ kind: field('kind').trim(), value: field('value'), label: field('label'), passkey })
    return { done: done.add }
  }
  throw new Response('Bad Request', { status: 400 })
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.allowList.title)

const path = '/settings/allow-list'

export default function AllowListSettings() {
  const { entries, ...list } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const failureOf = (intent: string) => (result?.error && result.typed.intent === intent ? result : undefined)
  const intents = ['add', 'enable', 'disable', ...entries.map(({ id }) => `remove ${id}`)]
  return (
    <>
      <ResultAlert result={result} intents={intents} />
      <AllowListSwitch {...list} path={path} failureOf={failureOf} />
      <AllowListEntries entries={entries} hours={list.hours} path={path} failureOf={failureOf} />
      <NewAllowListEntry {...list} path={path} full={entries.length >= list.most} failure={failureOf('add')} />
    </>
  )
}
