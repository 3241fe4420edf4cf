import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { type ReactNode, useState } from 'react'
import { tryCall, withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { BackupCodes } from '#app/components/backup-codes.tsx'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { Card, Facts } from '#app/components/card.tsx'
import { CodeField } from '#app/components/code-field.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { Moment } from '#app/components/moment.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasswordField } from '#app/components/password-field.tsx'
import { QrCode } from '#app/components/qr-code.tsx'
import { ReauthenticationGate, reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { Status } from '#app/components/status.tsx'
import { nameOfDevice } from '#app/device-name.ts'
import type { FormFailure, PageError } from '#app/form-result.ts'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { qrCode } from '#app/qr-code.server.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page, text }) => {
  const { user, isReauthenticated } = await api.sessions.require()
  const { enabledAt, ...factor } = await api.twoFactor.get()
  const devices = enabledAt ? await api.twoFactor.listTrustedDevices() : []
  return {
    ...factor,
    isReauthenticated,
    appName: page.appName,
    account: user.email,
    since: enabledAt && momentText(enabledAt, page.locale),
    devices: devices.map(({ id, browser, os, current, lastUsedAt, expiresAt }) => ({
      id,
      current,
      name: nameOfDevice(browser, os, text),
      lastUsed: momentText(lastUsedAt, page.locale),
      ends: momentText(expiresAt, page.locale),
    })),
  }
})

export const action = withApiForm(['intent'], async ({ api, page, field, text }) => {
  const intent = field('intent')
  if (intent === 'begin') {
    const { totpURI, backupCodes } = await api.twoFactor.enable({ password: field('password') || undefined })
    return { setUp: describeSetUp(totpURI, backupCodes), refusal: null, done: null }
  }
  if (intent === 'confirm') {
    const { refusal } = await tryCall(
      api.twoFactor.verify({ code: field('code'), type: 'totp' }),
      page.locale,
      (name) => name === 'code',
    )
    if (!refusal) return { setUp: null, refusal: null, done: text.security.done }
    // The page alone still knows the secret and the codes, so a mistyped code brings them back with it.
    return { setUp: describeSetUp(field('totpURI'), field('backupCodes').split(' ')), refusal, done: null }
  }
  await api.twoFactor.revokeTrustedDevice({ id: intent })
  return { setUp: null, refusal: null, done: text.security.revoked }
})

/** What comes back from the page is the page's own; anything else is not drawn. */
function describeSetUp(totpURI: string, backupCodes: readonly string[]) {
  const uri = /^otpauth:\/\/totp\/[\x21-\x7e]{1,2800}$/.test(totpURI) ? totpURI : ''
  const secret = uri && (new URL(uri).searchParams.get('secret') ?? '')
  return {
    totpURI: uri,
    manualKey: secret.replace(/(.{4})(?=.)/g, '$1 '),
    qr: qrCode(uri),
    backupCodes: backupCodes.filter((code) => /^[0-9a-z-]{17}$/.test(code)),
  }
}

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.security.title)

type Loaded = ReturnType<typeof useLoaderData<typeof loader>>
type SetUp = ReturnType<typeof describeSetUp>

export default function SecuritySettings() {
  const loaded = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const failure = result?.error ? result : undefined
  const answer = result && !result.error ? result : undefined
  const failureOf = (intent: string) => (failure?.typed.intent === intent ? failure : undefined)
  // Only this page knows the secret and the codes of a set-up: a code that did not reach the service must not take them away.
  const [begun, setBegun] = useState(answer?.setUp ?? null)
  if (answer?.setUp && answer.setUp !== begun) setBegun(answer.setUp)
  const setUp = answer?.setUp ?? (failureOf('confirm') ? begun : null)
  return (
    <>
      {answer?.done && (
        <Alert key={loaded.devices.length} look="success" landing>
          {answer.done}
        </Alert>
      )}
      {loaded.since ? (
        <>
          <FactorOn {...loaded} since={loaded.since} />
          <TrustedDevices devices={loaded.devices} failure={failure} />
        </>
      ) : setUp ? (
        <SetUpSteps
          {...setUp}
          appName={loaded.appName}
          account={loaded.account}
          refusal={answer?.refusal ?? failure?.error ?? null}
        />
      ) : (
        <FactorOff {...loaded} failure={failure} />
      )}
    </>
  )
}

type FactorOffProps = Pick<Loaded, 'hasPassword' | 'isReauthenticated'> & { failure: FormFailure | undefined }

function FactorOff({ hasPassword, isReauthenticated, failure }: FactorOffProps) {
  const text = useText('security')
  return (
    <Card title={text.factor}>
      <p>
        <Status good={false}>{text.off}</Status>
      </p>
      <p className="text-ink-soft">{text.lead}</p>
      {hasPassword || isReauthenticated || failure ? (
        <PageForm action="/settings/security" intent="begin" failure={failure} remedy={reauthenticateLink(failure?.error)}>
          {hasPassword && <PasswordField label={text.password} hint={text.passwordHint} autoComplete="current-password" />}
          <div>
            <SubmitButton>{text.begin}</SubmitButton>
          </div>
        </PageForm>
      ) : (
        <ReauthenticationGate>{text.gate}</ReauthenticationGate>
      )}
    </Card>
  )
}

type SetUpStepsProps = SetUp & Pick<Loaded, 'appName' | 'account'> & { refusal: PageError | null }

function SetUpSteps({ totpURI, manualKey, qr, backupCodes, appName, account, refusal }: SetUpStepsProps) {
  const text = useText('security')
  return (
    <Card title={text.setUp}>
      <Step title={text.scan}>
        <QrCode label={text.qrLabel} {...qr} />
        <p className="text-ink-soft">{text.scanLead}</p>
        <dl className="grid gap-1">
          <dt className="text-sm text-ink-soft">{text.key}</dt>
          <dd className="font-mono wrap-anywhere">{manualKey}</dd>
        </dl>
      </Step>
      <Step title={text.keep}>
        <BackupCodes appName={appName} account={account} codes={backupCodes} />
      </Step>
      <Step title={text.enter}>
        <p className="text-ink-soft">{text.enterLead}</p>
        <PageForm action="/settings/security" intent="confirm" failure={refusal ? { error: refusal, typed: {} } : undefined}>
          <input type="hidden" name="totpURI" value={totpURI} />
          <input type="hidden" name="backupCodes" value={backupCodes.join(' ')} />
          <CodeField />
          <div>
            <SubmitButton>{text.confirm}</SubmitButton>
          </div>
        </PageForm>
      </Step>
    </Card>
  )
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid gap-4 border-t border-line pt-5">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  )
}

function FactorOn({ since, backupCodesLeft }: { since: NonNullable<Loaded['since']>; backupCodesLeft: number }) {
  const text = useText('security')
  const rows = [
    { name: text.state, value: <Status good>{text.on}</Status> },
    { name: text.since, value: <Moment {...since} /> },
    { name: text.codesLeft, value: String(backupCodesLeft) },
  ]
  return (
    <Card title={text.factor}>
      <Facts rows={rows} />
      <div className="mt-4 flex flex-wrap gap-3">
        <ButtonLink to="/settings/security/codes">{text.newCodes}</ButtonLink>
        <ButtonLink to="/settings/security/off" look="secondary">
          {text.switchOff}
        </ButtonLink>
      </div>
    </Card>
  )
}

function TrustedDevices({ devices, failure }: Pick<Loaded, 'devices'> & { failure: FormFailure | undefined }) {
  const text = useText('security')
  const isShown = devices.some(({ id }) => id === failure?.typed.intent)
  return (
    <Card title={text.trusted}>
      {failure && !isShown && <FormErrors error={failure.error} />}
      <p className="text-ink-soft">{text.trustedLead}</p>
      {devices.length === 0 && <p>{text.noneTrusted}</p>}
      <ul className="-mb-4 divide-y divide-line">
        {devices.map(({ id, name, current, lastUsed, ends }) => (
          <li key={id} className="grid gap-x-6 gap-y-3 py-4 @md:grid-cols-[1fr_auto] @md:items-start">
            <div className="grid min-w-0 gap-1.5">
              <p className="flex flex-wrap gap-x-4 gap-y-1 font-semibold wrap-anywhere">
                {name}
                {current && <Status good>{text.thisDevice}</Status>}
              </p>
              <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 text-sm">
                <dt className="text-ink-soft">{text.lastUsed}</dt>
                <dd>
                  <Moment {...lastUsed} />
                </dd>
                <dt className="text-ink-soft">{text.ends}</dt>
                <dd>
                  <Moment {...ends} />
                </dd>
              </dl>
            </div>
            <PageForm
              action="/settings/security"
              intent={id}
              failure={failure?.typed.intent === id ? failure : undefined}
              className="grid justify-items-start gap-3"
            >
              <SubmitButton look="secondary">
                {text.revoke}
                <span className="sr-only">{name}</span>
              </SubmitButton>
            </PageForm>
          </li>
        ))}
      </ul>
    </Card>
  )
}
