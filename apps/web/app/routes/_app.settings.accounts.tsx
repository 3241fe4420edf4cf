import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import type { ReactNode } from 'react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { Moment } from '#app/components/moment.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { ProviderMark } from '#app/components/provider-mark.tsx'
import { ProviderRefusal } from '#app/components/provider-refusal.tsx'
import { ReauthenticationGate, reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { ResultAlert } from '#app/components/result-alert.tsx'
import type { FormFailure } from '#app/form-result.ts'
import { momentText } from '#app/moment-text.server.ts'
import { getNotice } from '#app/notice.ts'
import { pageTitle } from '#app/page-title.ts'
import { socialRefusalOf } from '#app/social-refusal.server.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page, url, notices }) => {
  const { isReauthenticated } = await api.sessions.require()
  const [list, { hasPasskey }] = await Promise.all([api.linkedAccounts.list(), api.twoFactor.get()])
  const isActive = ({ providerId }: (typeof list)[number]) =>
    providerId === 'credential' || page.providers.some(({ id }) => id === providerId)
  return {
    isReauthenticated,
    accounts: list.map((account) => ({
      id: account.id,
      providerId: account.providerId,
      active: isActive(account),
      isOnlyMethod: !hasPasskey && !list.some((other) => other !== account && isActive(other)),
      linked: momentText(account.createdAt, page.locale),
      lastUsed: account.lastUsedAt && momentText(account.lastUsedAt, page.locale),
    })),
    unlinked: page.providers.filter(({ id }) => !list.some(({ providerId }) => providerId === id)),
    notice: getNotice(url, notices.accounts),
    refusal: socialRefusalOf(url, page.locale),
  }
})

/** A `provider` is linked; else the intent is the account to unlink. */
export const action = withApiForm(['intent'], async ({ api, field, text }) => {
  const provider = field('provider')
  if (provider !== '') {
    const targets = { callbackURL: '/settings/accounts?notice=linked', errorCallbackURL: '/settings/accounts' }
    throw redirect((await api.linkedAccounts.link({ provider, ...targets })).url)
  }
  await api.linkedAccounts.unlink({ accountId: field('intent') })
  return { done: text.accounts.unlinked }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.accounts.title)

type LinkedAccount = ReturnType<typeof useLoaderData<typeof loader>>['accounts'][number]

export default function AccountSettings() {
  const text = useText('accounts')
  const { accounts, unlinked, isReauthenticated, notice, refusal } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const isOpen = isReauthenticated || result?.error !== undefined
  const shown = [
    ...accounts.filter(({ isOnlyMethod }) => !isOnlyMethod).map(({ id }) => id),
    ...unlinked.map(({ id }) => `link-${id}`),
  ]
  const failureOf = (intent: string) => (result?.error && result.typed.intent === intent ? result : undefined)
  return (
    <>
      <Card>
        {refusal && !result && <ProviderRefusal {...refusal} />}
        {notice && !result && <Alert look="success">{notice}</Alert>}
        <ResultAlert result={result} intents={shown} />
        <p className="text-ink-soft">{text.lead}</p>
        <ul className="-mb-4 divide-y divide-line border-t border-line">
          {accounts.map((account) => (
            <AccountRow key={account.id} {...account} isOpen={isOpen} failure={failureOf(account.id)} />
          ))}
        </ul>
        {!isOpen && (
          <div className="mt-4">
            <ReauthenticationGate>{text.gate}</ReauthenticationGate>
          </div>
        )}
      </Card>
      {isOpen && unlinked.length > 0 && (
        <Card title={text.moreTitle}>
          <p className="text-ink-soft">{text.moreLead}</p>
          <ul className="-mb-4 divide-y divide-line border-t border-line">
            {unlinked.map(({ id, name }) => (
              <Row key={id} title={<Name providerId={id} />}>
                <RowForm intent={`link-${id}`} failure={failureOf(`link-${id}`)}>
                  <input type="hidden" name="provider" value={id} />
                  <SubmitButton look="secondary">
                    {text.link}
                    <span className="sr-only">{name}</span>
                  </SubmitButton>
                </RowForm>
              </Row>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}

type AccountRowProps = LinkedAccount & Pick<RowFormProps, 'failure'> & { isOpen: boolean }

function AccountRow({ id, providerId, active, isOnlyMethod, linked, lastUsed, isOpen, failure }: AccountRowProps) {
  const text = useText('accounts')
  const name = text.names[providerId] ?? providerId
  const isPassword = providerId === 'credential'
  return (
    <Row
      title={<Name providerId={providerId} />}
      details={
        <>
          {!active && <p className="text-sm text-ink-soft">{text.off}</p>}
          {isOpen && isOnlyMethod && <p className="text-sm text-ink-soft">{text.only}</p>}
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 text-sm">
            <dt className="text-ink-soft">{isPassword ? text.added : text.linked}</dt>
            <dd>
              <Moment {...linked} />
            </dd>
            <dt className="text-ink-soft">{text.lastUsed}</dt>
            <dd>{lastUsed ? <Moment {...lastUsed} /> : text.neverUsed}</dd>
          </dl>
        </>
      }
    >
      {isOpen && !isOnlyMethod && (
        <ConfirmButton
          name={`unlink:${id}`}
          label={isPassword ? text.remove : text.unlink}
          of={name}
          title={isPassword ? text.removeTitle : text.unlinkTitle(name)}
          lead={text.unlinkLead}
          confirm={isPassword ? text.removeConfirm : text.unlinkConfirm(name)}
          form={{ action: '/settings/accounts', intent: id, failure, remedy: reauthenticateLink(failure?.error) }}
        />
      )}
    </Row>
  )
}

function Name({ providerId }: { providerId: string }) {
  const text = useText('accounts')
  return (
    <p className="flex items-center gap-3 font-semibold wrap-anywhere">
      <ProviderMark id={providerId} />
      {text.names[providerId] ?? providerId}
    </p>
  )
}

function Row({ title, details, children }: { title: ReactNode; details?: ReactNode; children: ReactNode }) {
  return (
    <li className="grid gap-x-6 gap-y-3 py-4 @md:grid-cols-[1fr_auto] @md:items-center">
      <div className="grid min-w-0 gap-1.5">
        {title}
        {details}
      </div>
      {children}
    </li>
  )
}

type RowFormProps = { intent: string; failure: FormFailure | undefined; children: ReactNode }

/** The button of a row; its error takes the whole width below. */
function RowForm({ intent, failure, children }: RowFormProps) {
  return (
    <PageForm
      action="/settings/accounts"
      intent={intent}
      failure={failure}
      remedy={reauthenticateLink(failure?.error)}
      reloadDocument
      className={`grid justify-items-start gap-3 ${failure ? '@md:col-span-full' : ''}`}
    >
      {children}
    </PageForm>
  )
}
