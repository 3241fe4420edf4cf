import { rootRelativePath } from '@floorpass/api/contracts'
import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { SubmitButton } from '#app/components/button.tsx'
import { Checkbox } from '#app/components/choices.tsx'
import { BackupCodeField, CodeField } from '#app/components/code-field.tsx'
import { Heading } from '#app/components/heading.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PlainLink, TextLink } from '#app/components/text-link.tsx'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, url }) => {
  if (await api.sessions.get()) return { usesBackup: false, isDone: true }
  if (!(await api.twoFactor.getChallenge())) throw redirect('/login?ended=code')
  return { usesBackup: url.searchParams.get('with') === 'backup-code', isDone: false }
})

export const action = withApiForm(['trustDevice'], async ({ api, url, field }) => {
  const type = url.searchParams.get('with') === 'backup-code' ? 'backup' : 'totp'
  const answer = await api.twoFactor
    .verify({ code: field('code'), type, trustDevice: field('trustDevice') === 'on' })
    .catch(async (error: unknown) => {
      // After the last try, or too late, there is nothing left to enter a code for.
      throw (await api.twoFactor.getChallenge()) ? error : redirect('/login?ended=code')
    })
  const target = answer.url ?? '/dashboard'
  // A form may not lead to another origin, so a front end elsewhere is reached by a link.
  if (rootRelativePath(target) === null) return { goOn: { href: target, host: new URL(target).host } }
  throw redirect(target)
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.twoFactor.title)

export default function TwoFactor() {
  const text = useText('twoFactor')
  const { usesBackup, isDone } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const elsewhere = result && !result.error ? result.goOn : null
  if (elsewhere || isDone) {
    return (
      <>
        <Heading title={text.doneTitle} />
        <p>
          {elsewhere ? (
            <PlainLink href={elsewhere.href}>{text.goOnTo(elsewhere.host)}</PlainLink>
          ) : (
            <TextLink to="/dashboard">{text.dashboard}</TextLink>
          )}
        </p>
      </>
    )
  }
  return (
    <>
      <Heading title={text.title}>{text.lead}</Heading>
      <PageForm
        key={String(usesBackup)}
        action={usesBackup ? '/two-factor?with=backup-code' : '/two-factor'}
        failure={result?.error ? result : undefined}
      >
        {usesBackup ? <BackupCodeField /> : <CodeField />}
        <Checkbox name="trustDevice" label={text.trust} />
        <SubmitButton wide>{text.submit}</SubmitButton>
      </PageForm>
      <p className="flex flex-wrap justify-between gap-x-6 gap-y-3">
        {usesBackup ? (
          <TextLink to="/two-factor">{text.useCode}</TextLink>
        ) : (
          <TextLink to="/two-factor?with=backup-code">{text.useBackup}</TextLink>
        )}
        <TextLink to="/login">{text.startOver}</TextLink>
      </p>
    </>
  )
}
