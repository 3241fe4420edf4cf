import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { Card, Detail } from '#app/components/card.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { EmptyState } from '#app/components/empty-state.tsx'
import { ExactMoment, Moment, type MomentWords } from '#app/components/moment.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { ReauthenticationGate, reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { ResultAlert } from '#app/components/result-alert.tsx'
import { Status } from '#app/components/status.tsx'
import type { FormResult } from '#app/form-result.ts'
import { useText } from '#app/text.ts'

export type ApiKey = {
  id: string
  name: string
  /** Null for a key without a secret. */
  start: string | null
  status: 'active' | 'disabled' | 'expired'
  isEnabled: boolean
  /** Enabling it needs a passkey, which the list does not ask for. */
  mayWithdraw: boolean
  may: string[]
  addresses: string[]
  expires: MomentWords | null
  lastUsed: (MomentWords & { address: string | null }) | null
  creator: string | null
}

type ApiKeyListProps = {
  path: string
  title?: string
  lead: string
  apiKeys: readonly ApiKey[]
  isReauthenticated: boolean
  result: FormResult
}

export function ApiKeyList({ path, title, lead, apiKeys, isReauthenticated, result }: ApiKeyListProps) {
  const text = useText('apiKeys')
  const failed = result?.error ? result.typed.intent : undefined
  const mayEnable = ({ id, mayWithdraw }: ApiKey) => !mayWithdraw && (isReauthenticated || failed === `enable ${id}`)
  const needsGate = apiKeys.some((apiKey) => apiKey.status === 'disabled' && !apiKey.mayWithdraw && !mayEnable(apiKey))
  const intents = apiKeys.flatMap((apiKey) => [
    ...(apiKey.isEnabled ? [`disable ${apiKey.id}`] : mayEnable(apiKey) ? [`enable ${apiKey.id}`] : []),
    `delete ${apiKey.id}`,
  ])
  const create = <ButtonLink to={`${path}/new`}>{text.create}</ButtonLink>
  return (
    <Card {...(title !== undefined && { title })}>
      <ResultAlert result={result} intents={intents} />
      <p className="text-pretty text-ink-soft">{lead}</p>
      {apiKeys.length === 0 ? (
        <EmptyState title={text.none} lead={text.noneLead}>
          {create}
        </EmptyState>
      ) : (
        <>
          <div>{create}</div>
          {needsGate && <ReauthenticationGate>{text.enableGate}</ReauthenticationGate>}
          <ul className="-mb-4 divide-y divide-line border-t border-line">
            {apiKeys.map((apiKey) => (
              <ApiKeyRow key={apiKey.id} apiKey={apiKey} path={path} mayEnable={mayEnable(apiKey)} result={result} />
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}

type ApiKeyRowProps = Pick<ApiKeyListProps, 'path' | 'result'> & { apiKey: ApiKey; mayEnable: boolean }

function ApiKeyRow({ apiKey, path, mayEnable, result }: ApiKeyRowProps) {
  const text = useText('apiKeys')
  const { id, name, start, status, isEnabled, mayWithdraw, may, addresses, expires, lastUsed, creator } = apiKey
  const form = (act: 'disable' | 'enable' | 'delete') => ({
    action: path,
    intent: `${act} ${id}`,
    failure: result?.error && result.typed.intent === `${act} ${id}` ? result : undefined,
    remedy: result?.error && reauthenticateLink(result.error),
  })
  return (
    <li className="grid gap-3 py-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p className="font-semibold wrap-anywhere">{name}</p>
        <Status good={status === 'active'}>{text.status[status]}</Status>
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-[0.8125rem] sm:text-sm">
        <Detail name={text.may}>{may.join(', ')}</Detail>
        <Detail name={text.kind}>
          {start === null ? text.publicKey : text.secret} <code className="font-mono">{start ?? id}</code>
        </Detail>
        <Detail name={text.addresses}>{addresses.length === 0 ? text.anyAddress : addresses.join(', ')}</Detail>
        <Detail name={status === 'expired' ? text.expiredAt : text.expires}>
          {expires ? <ExactMoment {...expires} /> : text.never}
        </Detail>
        <Detail name={text.lastUsed}>
          {lastUsed ? (
            <>
              <Moment iso={lastUsed.iso} words={lastUsed.words} /> {lastUsed.address && text.from(lastUsed.address)}
            </>
          ) : (
            text.never
          )}
        </Detail>
        {creator && <Detail name={text.createdBy}>{creator}</Detail>}
      </dl>
      {status === 'disabled' && mayWithdraw && <p className="text-sm text-pretty text-ink-soft">{text.withdrawStaysOff}</p>}
      <div className="flex flex-wrap items-start gap-3">
        {status !== 'expired' && (isEnabled || mayEnable) && (
          <PageForm {...form(isEnabled ? 'disable' : 'enable')} className="grid gap-3">
            <SubmitButton look="secondary">
              {isEnabled ? text.disable : text.enable}
              <span className="sr-only">{name}</span>
            </SubmitButton>
          </PageForm>
        )}
        <ConfirmButton
          name={`delete:${id}`}
          label={text.delete}
          of={name}
          title={text.deleteTitle(name)}
          lead={text.deleteLead}
          confirm={text.deleteConfirm(name)}
          form={form('delete')}
        />
      </div>
    </li>
  )
}
