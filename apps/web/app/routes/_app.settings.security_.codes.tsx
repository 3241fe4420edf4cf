import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { BackupCodes } from '#app/components/backup-codes.tsx'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { OwnerProof, proofOf } from '#app/components/owner-proof.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page }) => {
  const { user } = await api.sessions.require()
  const { hasPassword } = await api.twoFactor.get()
  return { hasPassword, account: user.email, appName: page.appName }
})

export const action = withApiForm([], async ({ api, field }) => api.twoFactor.generateBackupCodes(proofOf(field)))

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.newBackupCodes.title)

export default function NewBackupCodes() {
  const text = useText('newBackupCodes')
  const { hasPassword, account, appName } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  if (result && !result.error) {
    return (
      <Card title={text.made}>
        <BackupCodes appName={appName} account={account} codes={result.backupCodes} />
        <div className="print:hidden">
          <ButtonLink to="/settings/security">{text.kept}</ButtonLink>
        </div>
      </Card>
    )
  }
  return (
    <Card title={text.title}>
      <p className="text-ink-soft">{text.lead}</p>
      <PageForm action="/settings/security/codes" failure={result}>
        <OwnerProof hasPassword={hasPassword} />
        <div>
          <SubmitButton>{text.submit}</SubmitButton>
        </div>
      </PageForm>
      <p>
        <TextLink to="/settings/security">{text.back}</TextLink>
      </p>
    </Card>
  )
}
