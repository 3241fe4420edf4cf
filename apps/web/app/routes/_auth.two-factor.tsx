import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Checkbox } from '#app/components/checkbox.tsx'
import { BackupCodeField, CodeField } from '#app/components/code-field.tsx'
import { Heading } from '#app/components/heading.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PasskeyButton } from '#app/components/passkey-button.tsx'
import { Or } from '#app/components/provider-links.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { pageTitle } from '#app/page-title.ts'
import { readPasskey } from '#app/passkey-field.server.ts'
import { withTarget } from '#app/redirect-target.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, url, redirectTo }) => {
  if (await api.sessions.get()) throw redirect(redirectTo ?? '/dashboard')
  const challenge = await api.twoFactor.getChallenge()
  if (!challenge) throw redirect(withTarget('/login?ended=code', redirectTo))
  const { methods, attemptsLeft } = challenge
  return { usesBackup: url.searchParams.get('with') === 'backup-code', methods, hasEnded: attemptsLeft === 0, redirectTo }
})

export const action = withApiForm(['intent', 'trustDevice'], async ({ api, url, redirectTo, field }) => {
  const challenge = await api.twoFactor.getChallenge()
  if (!challenge?.attemptsLeft) throw redirect(withTarget('/login?ended=code', redirectTo))
  const type = url.searchParams.get('with') === 'backup-code' ? 'backup' : 'totp'
  const answer = await (field('intent') === 'passkey'
    ? api.passkeys.signIn({ response: readPasskey(field), callbackURL: redirectTo ?? undefined })
    : api.twoFactor.verify({ code: field('code'), type, trustDevice: field('trustDevice') === 'on' }))
  if ('twoFactorRedirect' in answer) throw redirect(withTarget('/two-factor', redirectTo))
  throw redirect(answer.url ?? redirectTo ?? '/dashboard')
})

/** A refused code may have been the last one. */
export const shouldRevalidate = () => true

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.twoFactor.title)

export default function TwoFactor() {
  const text = useText('twoFactor')
  const { ended } = useText('login')
  const { usesBackup, methods, hasEnded, redirectTo } = useLoaderData<typeof loader>()
  const takesCode = methods.includes('totp')
  const takesPasskey = methods.includes('passkey')
  const showsCode = takesCode || usesBackup
  const failure = useActionData<typeof action>()
  const ofPasskey = failure?.typed.intent === 'passkey'
  const isPlain = !failure && !hasEnded
  const withCode = withTarget('/two-factor', redirectTo)
  const withBackupCode = withTarget('/two-factor?with=backup-code', redirectTo)
  return (
    <>
      <Heading title={text.title}>{takesPasskey ? (takesCode ? text.passkeyOrCodeLead : text.passkeyLead) : text.lead}</Heading>
      {hasEnded && (
        <Alert>
          {ended}
          <TextLink to={withTarget('/login', redirectTo)}>{text.startOver}</TextLink>
        </Alert>
      )}
      {takesPasskey && (
        <PageForm action={withCode} intent="passkey" failure={ofPasskey ? failure : undefined}>
          <PasskeyButton ceremony="authentication" wide fallback={showsCode ? text.withoutPasskey : text.passkeyOnly}>
            {text.passkey}
          </PasskeyButton>
        </PageForm>
      )}
      {takesPasskey && showsCode && <Or />}
      {showsCode && (
        <PageForm
          key={String(usesBackup)}
          action={usesBackup ? withBackupCode : withCode}
          intent="code"
          failure={ofPasskey ? undefined : failure}
        >
          {/* Before the code, whose last digit sends the form. */}
          <Checkbox name="trustDevice" label={text.trust} />
          {usesBackup ? <BackupCodeField autoFocus={isPlain} /> : <CodeField sends autoFocus={isPlain && !takesPasskey} />}
          <SubmitButton look={takesPasskey ? 'secondary' : 'primary'} wide>
            {text.submit}
          </SubmitButton>
        </PageForm>
      )}
      <p className="flex flex-wrap justify-between gap-x-6 gap-y-3">
        {usesBackup ? (
          <TextLink to={withCode}>{takesCode ? text.useCode : text.usePasskey}</TextLink>
        ) : (
          <TextLink to={withBackupCode}>{text.useBackup}</TextLink>
        )}
        {!hasEnded && <TextLink to={withTarget('/login', redirectTo)}>{text.startOver}</TextLink>}
      </p>
    </>
  )
}
