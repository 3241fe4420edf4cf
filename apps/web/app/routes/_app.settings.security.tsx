import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { type ReactNode, useState } from 'react'
import { tryCall, withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { BackupCodes } from '#app/components/backup-codes.tsx'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { Card, Facts } from '#app/components/card.tsx'
import { CodeField } from '#app/components/code-field.tsx'
import { ConfirmButton } from '#app/components/confirm-button.tsx'
import { CopyButton } from '#app/components/copy-button.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { ExactMoment, Moment } from '#app/components/moment.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasswordField } from '#app/components/password-field.tsx'
import { Or } from '#app/components/provider-links.tsx'
import { QrCode } from '#app/components/qr-code.tsx'
import { ReauthenticationGate, reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { Status } from '#app/components/status.tsx'
import { PlainLink } from '#app/components/text-link.tsx'
import { nameOfDevice } from '#app/device-name.ts'
import type { FormFailure, PageError } from '#app/form-result.ts'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { qrCode } from '#app/qr-code.server.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page, text }) => {
  const { user, isReauthenticated } = await api.sessions.require()
  const { enabledAt, ...factor } = await api.twoFactor.get()
  const devices = factor.isEnabled ? await api.twoFactor.listTrustedDevices() : []
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
  if (intent === 'begin' && field('key') === 'pending') {
    const { totpURI } = await api.twoFactor.getTotpUri({ password: field('password') || undefined })
    return { codes: null, setUp: describeSetUp(totpURI, []), refusal: null, done: null }
  }
  if (intent === 'begin') {
    const enabled = await api.twoFactor.enable({ password: field('password') || undefined })
    if (enabled.method !== 'totp') throw new Error('the set-up of an authenticator app returned no key')
    return { codes: null, setUp: describeSetUp(enabled.totpURI, enabled.backupCodes), refusal: null, done: null }
  }
  if (intent === 'begin-passkey') {
    const { backupCodes } = await api.twoFactor.enable({ method: 'passkey', password: field('password') || undefined })
    return { setUp: null, codes: backupCodes, refusal: null, done: text.security.done }
  }
  if (intent === 'confirm') {
    const { user } = await api.sessions.require()
    const { refusal } = await tryCall(
      api.twoFactor.verify({ code: field('code'), type: 'totp' }),
      page.locale,
      (name) => name === 'code',
    )
    const done = user.twoFactorEnabled ? text.security.doneSecond : text.security.done
    if (!refusal) return { codes: null, setUp: null, refusal: null, done }
    // The page alone still knows the secret and the codes, so a mistyped code brings them back with it.
    return { codes: null, setUp: describeSetUp(field('totpURI'), field('backupCodes').split(' ')), refusal, done: null }
  }
  await api.twoFactor.revokeTrustedDevice({ id: intent })
  return { codes: null, setUp: null, refusal: null, done: text.security.revoked }
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
  const text = useText('security')
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
        <Alert look="success" landing={answer}>
          {answer.done}
        </Alert>
      )}
      {answer?.codes && (
        <Card title={text.keepTitle}>
          <BackupCodes appName={loaded.appName} account={loaded.account} codes={answer.codes} />
        </Card>
      )}
      {loaded.isEnabled && !setUp && (
        <>
          <FactorOn {...loaded} />
          <TrustedDevices devices={loaded.devices} failure={failureOf('begin') ? undefined : failure} />
        </>
      )}
      {loaded.isEnabled && loaded.hasTotp ? null : setUp ? (
        <SetUpSteps
          {...setUp}
          appName={loaded.appName}
          account={loaded.account}
          isEnabled={loaded.isEnabled}
          refusal={answer?.refusal ?? failure?.error ?? null}
        />
      ) : (
        <FactorOff {...loaded} failureOf={failureOf} />
      )}
    </>
  )
}

type FactorOffProps = Pick<Loaded, 'isEnabled' | 'hasPasskey' | 'hasPassword' | 'hasPendingTotp' | 'isReauthenticated'> & {
  failureOf: (intent: string) => FormFailure | undefined
}

function FactorOff({ isEnabled, hasPasskey, hasPassword, hasPendingTotp, isReauthenticated, failureOf }: FactorOffProps) {
  const text = useText('security')
  const offersPasskey = hasPasskey && !isEnabled
  const begin = failureOf('begin')
  const beginPasskey = failureOf('begin-passkey')
  const askPassword = (id: string) =>
    hasPassword && <PasswordField id={id} label={text.password} hint={text.passwordHint} autoComplete="current-password" />
  return (
    <Card {...(isEnabled && { title: text.app })}>
      {!isEnabled && (
        <p>
          <Status good={false}>{text.off}</Status>
        </p>
      )}
      {offersPasskey && (
        <>
          <p className="text-ink-soft">{text.passkeyLead}</p>
          {hasPassword || isReauthenticated || beginPasskey ? (
            <PageForm
              action="/settings/security"
              intent="begin-passkey"
              failure={beginPasskey}
              remedy={reauthenticateLink(beginPasskey?.error)}
            >
              {askPassword('passkey-password')}
              <div>
                <SubmitButton>{text.beginPasskey}</SubmitButton>
              </div>
            </PageForm>
          ) : (
            <ReauthenticationGate>{text.gate}</ReauthenticationGate>
          )}
          <Or />
        </>
      )}
      <p className="text-ink-soft">{hasPendingTotp ? text.pendingLead : isEnabled ? text.appLead : text.lead}</p>
      {(hasPassword && !isEnabled) || isReauthenticated || begin ? (
        <PageForm action="/settings/security" intent="begin" failure={begin} remedy={reauthenticateLink(begin?.error)}>
          {askPassword('password')}
          <div className="flex flex-wrap gap-3">
            {hasPendingTotp && (
              <SubmitButton name="key" value="pending">
                {text.goOn}
              </SubmitButton>
            )}
            <SubmitButton look={offersPasskey || isEnabled || hasPendingTotp ? 'secondary' : 'primary'} name="key" value="new">
              {hasPendingTotp ? text.beginAgain : text.begin}
            </SubmitButton>
          </div>
        </PageForm>
      ) : (
        !offersPasskey && <ReauthenticationGate>{text.gate}</ReauthenticationGate>
      )}
    </Card>
  )
}

type SetUpStepsProps = SetUp & Pick<Loaded, 'appName' | 'account' | 'isEnabled'> & { refusal: PageError | null }

function SetUpSteps({ totpURI, manualKey, qr, backupCodes, appName, account, isEnabled, refusal }: SetUpStepsProps) {
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
        <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
          <CopyButton value={manualKey.replaceAll(' ', '')}>{text.copyKey}</CopyButton>
          {totpURI !== '' && <PlainLink href={totpURI}>{text.openApp}</PlainLink>}
        </div>
      </Step>
      {backupCodes.length > 0 && (
        <Step title={text.keep}>
          <BackupCodes appName={appName} account={account} codes={backupCodes} />
        </Step>
      )}
      <Step title={backupCodes.length > 0 ? text.enter : text.enterSecond}>
        <p className="text-ink-soft">{isEnabled ? text.enterLeadSecond : text.enterLead}</p>
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

type FactorOnProps = Pick<Loaded, 'since' | 'hasTotp' | 'hasPasskey' | 'backupCodesLeft'>

function FactorOn({ since, hasTotp, hasPasskey, backupCodesLeft }: FactorOnProps) {
  const text = useText('security')
  const factors = [...(hasPasskey ? [text.factors.passkey] : []), ...(hasTotp ? [text.factors.totp] : [])]
  const rows = [
    { name: text.state, value: <Status good>{text.on}</Status> },
    ...(since ? [{ name: text.since, value: <ExactMoment {...since} /> }] : []),
    { name: text.with, value: factors.join(', ') },
    { name: text.codesLeft, value: String(backupCodesLeft) },
  ]
  return (
    <Card>
      <Facts rows={rows} />
      <div className="mt-4 flex flex-wrap gap-3">
        <ButtonLink to="/settings/security/codes" look="secondary">
          {text.newCodes}
        </ButtonLink>
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
                  <ExactMoment {...ends} />
                </dd>
              </dl>
            </div>
            <ConfirmButton
              name={`revoke:${id}`}
              label={text.revoke}
              of={name}
              title={text.revokeTitle(name)}
              lead={text.revokeLead}
              confirm={text.revokeConfirm(name)}
              form={{
                action: '/settings/security',
                intent: id,
                failure: failure?.typed.intent === id ? failure : undefined,
              }}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}
