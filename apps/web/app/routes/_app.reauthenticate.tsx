import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { BackupCodeField, CodeField } from '#app/components/code-field.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { Heading } from '#app/components/heading.tsx'
import { LocalMailbox } from '#app/components/local-mailbox.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { Main } from '#app/components/main.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasskeyButton } from '#app/components/passkey-button.tsx'
import { PasswordField } from '#app/components/password-field.tsx'
import { Or } from '#app/components/provider-links.tsx'
import { ProviderMark } from '#app/components/provider-mark.tsx'
import { ProviderRefusal } from '#app/components/provider-refusal.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { isDeadLink } from '#app/form-result.ts'
import { useHiddenToken } from '#app/hide-token.ts'
import { pageTitle } from '#app/page-title.ts'
import { readPasskey } from '#app/passkey-field.server.ts'
import { withTarget } from '#app/redirect-target.ts'
import { socialRefusalOf } from '#app/social-refusal.server.ts'
import { useText } from '#app/text.ts'

/** A gateway may require a stronger or more recent sign-in than this page does (docs/specs/access.md). */
const requirementOf = ({ searchParams }: URL): { acr?: 'aal1' | 'aal2'; max_age?: string } =>
  Object.fromEntries([...searchParams].filter(([name]) => name === 'acr' || name === 'max_age'))

const pathWith = (requirement: Record<string, string>): string =>
  Object.keys(requirement).length === 0 ? '/reauthenticate' : `/reauthenticate?${new URLSearchParams(requirement)}`

/** Opening the link changes nothing: mail scanners open links too. */
export const loader = withApi(async ({ api, page, url, redirectTo: target }) => {
  const { user } = await api.sessions.require()
  const redirectTo = target ?? '/dashboard'
  const { methods, satisfied } = await api.signIn.getReauthentication(requirementOf(url))
  const { hasTotp } = await api.twoFactor.get()
  const token = url.searchParams.get('token') ?? ''
  if (satisfied && token === '') throw redirect(redirectTo)
  return {
    redirectTo,
    path: withTarget(pathWith(requirementOf(url)), redirectTo),
    isRequired: Object.keys(requirementOf(url)).length > 0,
    needsTwoFactor: url.searchParams.get('acr') === 'aal2' && !user.twoFactorEnabled && !methods.includes('passkey'),
    token,
    email: user.email,
    methods,
    hasTotp,
    providers: page.providers.filter(({ id }) => methods.includes(id)),
    refusal: socialRefusalOf(url, page.locale),
  }
})

/** `intent` names the method or the provider. The token is sent in the body, so only the emailed URL contains it. */
export const action = withApiForm(['intent', 'token'], async ({ api, url, redirectTo: target, field }) => {
  const redirectTo = target ?? '/dashboard'
  const intent = field('intent')
  if (intent === 'email') {
    await api.signIn.reauthenticate({ sendEmail: true, callbackURL: target ?? undefined })
    return { sent: true }
  }
  if (intent === 'passkey') {
    await api.signIn.reauthenticate({ passkey: readPasskey(field) })
    throw redirect(redirectTo)
  }
  if (intent === 'password' || intent === 'code' || intent === 'token') {
    await api.signIn.reauthenticate({ [intent]: field(intent) })
    throw redirect(redirectTo)
  }
  const errorCallbackURL = withTarget(pathWith(requirementOf(url)), redirectTo)
  const answer = await api.signIn.reauthenticate({ provider: intent, callbackURL: redirectTo, errorCallbackURL })
  throw redirect('url' in answer ? answer.url : redirectTo)
})

export { clientAction } from '#app/client-action.ts'

export const headers = () => ({ 'Referrer-Policy': 'no-referrer' })

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.reauthenticate.title)

export default function Reauthenticate() {
  const text = useText('reauthenticate')
  useHiddenToken()
  const { redirectTo, refusal, ...loaded } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const failure = result?.error ? result : undefined
  const deadLink = failure?.typed.intent === 'token' && isDeadLink(failure.error)
  // The way that was tried may be gone by now: then no form shows what became of it.
  const isOrphan = failure !== undefined && !['token', ...loaded.methods].includes(failure.typed.intent ?? '')
  const token = deadLink ? '' : failure?.typed.token || loaded.token
  return (
    <Main className="mx-auto grid w-full max-w-md gap-6">
      <Heading title={text.title}>{token !== '' ? text.tokenLead : loaded.isRequired ? text.requiredLead : text.lead}</Heading>
      <Card>
        {refusal && !result && <ProviderRefusal {...refusal} />}
        {(deadLink || isOrphan) && failure && <FormErrors error={failure.error} />}
        {token === '' ? (
          <Methods {...loaded} result={result} isPlain={!refusal && !failure} />
        ) : (
          <PageForm action={loaded.path} intent="token" failure={failure}>
            <input type="hidden" name="token" value={token} />
            <SubmitButton wide>{text.submitToken}</SubmitButton>
          </PageForm>
        )}
      </Card>
      <p>
        {/* The page behind a gateway would lead straight back. */}
        <TextLink to={loaded.isRequired ? '/dashboard' : redirectTo}>{text.cancel}</TextLink>
      </p>
    </Main>
  )
}

type MethodsProps = Pick<
  ReturnType<typeof useLoaderData<typeof loader>>,
  'path' | 'email' | 'methods' | 'hasTotp' | 'needsTwoFactor' | 'providers'
> & {
  result: ReturnType<typeof useActionData<typeof action>>
  /** Nothing on the page is to be read before the first field. */
  isPlain: boolean
}

function Methods({ path, email, methods, hasTotp, needsTwoFactor, providers, result, isPlain }: MethodsProps) {
  const text = useText('reauthenticate')
  const has = (method: MethodsProps['methods'][number]) => methods.includes(method)
  const form = (intent: string) => ({
    action: path,
    intent,
    failure: result?.error && result.typed.intent === intent ? result : undefined,
  })
  const isAlone = methods.length === 1
  const focusesCode = isPlain && !has('passkey') && !has('password')
  return (
    <>
      {has('passkey') && (
        <>
          <PageForm {...form('passkey')}>
            <PasskeyButton ceremony="authentication" wide fallback={isAlone ? text.needsScript : text.withoutPasskey}>
              {text.submitPasskey}
            </PasskeyButton>
          </PageForm>
          {!isAlone && <Or />}
        </>
      )}
      {has('password') && (
        <PageForm {...form('password')}>
          {/* For password managers: whose password this is. */}
          <input type="text" autoComplete="username" value={email} readOnly hidden />
          <div className="grid gap-2">
            <PasswordField label={text.password} autoComplete="current-password" autoFocus={isPlain && !has('passkey')} />
            <p className="text-sm">
              <TextLink to="/forgot-password">{text.forgot}</TextLink>
            </p>
          </div>
          <SubmitButton look={has('passkey') ? 'secondary' : 'primary'} wide>
            {text.submitPassword}
          </SubmitButton>
        </PageForm>
      )}
      {has('code') && (
        <>
          {has('password') && <Or />}
          <PageForm {...form('code')}>
            {hasTotp ? <CodeField autoFocus={focusesCode} /> : <BackupCodeField autoFocus={focusesCode} />}
            <SubmitButton look={has('password') || has('passkey') ? 'secondary' : 'primary'} wide>
              {text.submitCode}
            </SubmitButton>
          </PageForm>
        </>
      )}
      {providers.length > 0 && (
        <>
          {(has('password') || has('code')) && <Or />}
          {providers.map(({ id, name }) => (
            <PageForm key={id} {...form(id)} reloadDocument className="grid gap-3">
              <SubmitButton look="provider" wide>
                <ProviderMark id={id} />
                {text.submitProvider} {name}
              </SubmitButton>
            </PageForm>
          ))}
        </>
      )}
      {has('email') && (
        <PageForm {...form('email')}>
          {result && !result.error ? (
            <>
              <Alert look="success" landing={result}>
                <Sentence parts={text.sent} email={email} />
              </Alert>
              <LocalMailbox />
              <p className="text-sm text-ink-soft">{text.nothing}</p>
              <SubmitButton look="secondary" wide>
                {text.sendAgain}
              </SubmitButton>
            </>
          ) : (
            <>
              <Sentence parts={text.emailLead} email={email} />
              <SubmitButton wide>{text.sendEmail}</SubmitButton>
            </>
          )}
        </PageForm>
      )}
      {needsTwoFactor && (
        <>
          <p>{text.needsTwoFactor}</p>
          <ButtonLink to="/settings/passkeys">{text.addFactor}</ButtonLink>
        </>
      )}
      {methods.length === 0 && !needsTwoFactor && (
        <>
          <p>{text.none}</p>
          <ButtonLink to="/forgot-password" wide>
            {text.choosePassword}
          </ButtonLink>
        </>
      )}
    </>
  )
}

function Sentence({ parts: [before, after], email }: { parts: readonly string[]; email: string }) {
  return (
    <p>
      {before}
      <strong className="font-semibold">
        <MailAddress>{email}</MailAddress>
      </strong>
      {after}
    </p>
  )
}
