import { redirect } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { SubmitButton } from '#app/components/button.tsx'
import { Checkbox } from '#app/components/choices.tsx'
import { BackupCodeField, CodeField } from '#app/components/code-field.tsx'
import { Heading } from '#app/components/heading.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { pageTitle } from '#app/page-title.ts'
import { withTarget } from '#app/redirect-target.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, url, redirectTo }) => {
  if (await api.sessions.get()) throw redirect(redirectTo ?? '/dashboard')
  if (!(await api.twoFactor.getChallenge())) throw redirect(withTarget('/login?ended=code', redirectTo))
  return { usesBackup: url.searchParams.get('with') === 'backup-code', redirectTo }
})

export const action = withApiForm(['trustDevice'], async ({ api, url, redirectTo, field }) => {
  const type = url.searchParams.get('with') === 'backup-code' ? 'backup' : 'totp'
  const answer = await api.twoFactor
    .verify({ code: field('code'), type, trustDevice: field('trustDevice') === 'on' })
    .catch(async (error: unknown) => {
      // After the last try, or too late, there is nothing left to enter a code for.
      throw (await api.twoFactor.getChallenge()) ? error : redirect(withTarget('/login?ended=code', redirectTo))
    })
  throw redirect(answer.url ?? redirectTo ?? '/dashboard')
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.twoFactor.title)

export default function TwoFactor() {
  const text = useText('twoFactor')
  const { usesBackup, redirectTo } = useLoaderData<typeof loader>()
  const failure = useActionData<typeof action>()
  const withCode = withTarget('/two-factor', redirectTo)
  const withBackupCode = withTarget('/two-factor?with=backup-code', redirectTo)
  return (
    <>
      <Heading title={text.title}>{text.lead}</Heading>
      <PageForm key={String(usesBackup)} action={usesBackup ? withBackupCode : withCode} failure={failure}>
        {usesBackup ? <BackupCodeField /> : <CodeField />}
        <Checkbox name="trustDevice" label={text.trust} />
        <SubmitButton wide>{text.submit}</SubmitButton>
      </PageForm>
      <p className="flex flex-wrap justify-between gap-x-6 gap-y-3">
        {usesBackup ? (
          <TextLink to={withCode}>{text.useCode}</TextLink>
        ) : (
          <TextLink to={withBackupCode}>{text.useBackup}</TextLink>
        )}
        <TextLink to={withTarget('/login', redirectTo)}>{text.startOver}</TextLink>
      </p>
    </>
  )
}
