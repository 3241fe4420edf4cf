import { reauthenticationAge } from '@floorpass/api/contracts'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { Card, Detail } from '#app/components/card.tsx'
import { ConfirmButton, useIsConfirming } from '#app/components/confirm-button.tsx'
import { Field } from '#app/components/field.tsx'
import { Moment } from '#app/components/moment.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasskeyButton } from '#app/components/passkey-button.tsx'
import { ReauthenticationGate, reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { ResultAlert } from '#app/components/result-alert.tsx'
import type { FormFailure } from '#app/form-result.ts'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { readPasskey } from '#app/passkey-field.server.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page }) => {
  const { user } = await api.sessions.require()
  const { hasPassword } = await api.twoFactor.get()
  const passkeys = page.passkeys ? await api.passkeys.list() : []
  const requirement = user.twoFactorEnabled ? { acr: 'aal2' as const, max_age: String(reauthenticationAge) } : null
  const { satisfied } = await api.signIn.getReauthentication(requirement ?? undefined)
  return {
    isAvailable: page.passkeys,
    isReauthenticated: satisfied,
    reauthenticatePath: requirement ? `/reauthenticate?${new URLSearchParams(requirement)}` : '/reauthenticate',
    hasPassword,
    twoFactorEnabled: user.twoFactorEnabled,
    passkeys: passkeys.map(({ id, name, authenticator, deviceType, backedUp, createdAt, lastUsedAt }) => ({
      id,
      name,
      authenticator,
      storage: backedUp ? ('synced' as const) : deviceType === 'multiDevice' ? ('notYetSynced' as const) : ('onDevice' as const),
      added: momentText(createdAt, page.locale),
      lastUsed: lastUsedAt && momentText(lastUsedAt, page.locale),
    })),
  }
})

/** The intent is `add`, or what to do with which passkey: `rename <id>`, `remove <id>`. */
export const action = withApiForm(['intent', 'name'], async ({ api, field, text }) => {
  const [act, id = ''] = field('intent').split(' ')
  if (act === 'add') {
    await api.passkeys.register({ response: readPasskey(field) })
    return { done: text.passkeys.done.add, isAdded: true }
  }
  if (act === 'rename') {
    await api.passkeys.rename({ id, name: field('name') })
    return { done: text.passkeys.done.rename, isAdded: false }
  }
  await api.passkeys.remove({ id })
  return { done: text.passkeys.done.remove, isAdded: false }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.passkeys.title)

type Loaded = ReturnType<typeof useLoaderData<typeof loader>>

export default function PasskeySettings() {
  const text = useText('passkeys')
  const { isAvailable, isReauthenticated, reauthenticatePath, hasPassword, twoFactorEnabled, passkeys } =
    useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const failure = result?.error ? result : undefined
  const answer = result && !result.error ? result : undefined
  const failureOf = (intent: string) => (failure?.typed.intent === intent ? failure : undefined)
  const shown = ['add', ...passkeys.flatMap(({ id }) => [`rename ${id}`, `remove ${id}`])]
  return (
    <Card>
      <ResultAlert result={result} intents={shown} />
      {answer?.isAdded && !twoFactorEnabled && (
        <div className="grid justify-items-start gap-3 rounded-md bg-sunken px-4 py-4">
          <p className="text-pretty">{hasPassword ? text.codesLead : text.codesLeadWithoutPassword}</p>
          <ButtonLink to="/settings/security" look="secondary">
            {text.codes}
          </ButtonLink>
        </div>
      )}
      <p className="text-ink-soft">{isAvailable ? text.lead : text.unavailable}</p>
      {isAvailable && passkeys.length === 0 && <p>{text.none}</p>}
      {passkeys.length > 0 && (
        <ul className="-mb-4 divide-y divide-line border-t border-line">
          {passkeys.map((passkey) => (
            <PasskeyRow
              key={passkey.id}
              {...passkey}
              isReauthenticated={isReauthenticated}
              reauthenticatePath={reauthenticatePath}
              failureOf={(act) => failureOf(`${act} ${passkey.id}`)}
            />
          ))}
        </ul>
      )}
      {isAvailable &&
        (isReauthenticated || failureOf('add') ? (
          <PageForm
            action="/settings/passkeys"
            intent="add"
            failure={failureOf('add')}
            remedy={reauthenticateLink(failureOf('add')?.error, { path: reauthenticatePath })}
          >
            <div>
              <PasskeyButton
                ceremony="registration"
                reauthenticatePath={reauthenticatePath}
                fallback={text.withoutScript}
                problems={text.problems}
              >
                {text.add}
              </PasskeyButton>
            </div>
          </PageForm>
        ) : (
          <ReauthenticationGate path={reauthenticatePath}>{text.gate}</ReauthenticationGate>
        ))}
    </Card>
  )
}

type PasskeyRowProps = Loaded['passkeys'][number] & {
  isReauthenticated: boolean
  reauthenticatePath: string
  failureOf: (act: 'rename' | 'remove') => FormFailure | undefined
}

function PasskeyRow({
  id,
  name,
  authenticator,
  storage,
  added,
  lastUsed,
  isReauthenticated,
  reauthenticatePath,
  failureOf,
}: PasskeyRowProps) {
  const text = useText('passkeys')
  const question = `remove:${id}`
  const isConfirming = useIsConfirming(question)
  return (
    <li className="grid gap-3 py-4">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-semibold wrap-anywhere">
        {name}
        {authenticator && authenticator !== name && <span className="font-normal text-ink-soft">{authenticator}</span>}
      </p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-[0.8125rem] sm:text-sm">
        <Detail name={text.place}>{text[storage]}</Detail>
        <Detail name={text.added}>
          <Moment {...added} />
        </Detail>
        <Detail name={text.lastUsed}>{lastUsed ? <Moment {...lastUsed} /> : text.never}</Detail>
      </dl>
      <details open={isConfirming || (failureOf('rename') ?? failureOf('remove')) !== undefined || undefined}>
        <summary className="w-fit cursor-pointer py-2 font-medium text-accent">
          {text.change}
          <span className="sr-only"> {name}</span>
        </summary>
        <div className="grid gap-5 py-3">
          <PageForm action="/settings/passkeys" intent={`rename ${id}`} failure={failureOf('rename')}>
            <Field name="name" id={`name-${id}`} label={text.name} defaultValue={name} maxLength={100} />
            <div>
              <SubmitButton look="secondary">{text.rename}</SubmitButton>
            </div>
          </PageForm>
          {isReauthenticated || failureOf('remove') ? (
            <ConfirmButton
              name={question}
              look="danger"
              label={text.remove}
              of={name}
              title={text.removeTitle(name)}
              lead={text.removeLead}
              confirm={text.removeConfirm(name)}
              form={{
                action: '/settings/passkeys',
                intent: `remove ${id}`,
                failure: failureOf('remove'),
                remedy: reauthenticateLink(failureOf('remove')?.error, { path: reauthenticatePath }),
              }}
            />
          ) : (
            <ReauthenticationGate path={reauthenticatePath}>{text.removeGate}</ReauthenticationGate>
          )}
        </div>
      </details>
    </li>
  )
}
