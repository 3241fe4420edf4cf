import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { BackupCodes } from '#app/components/backup-codes.tsx'
import { ButtonLink } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { OwnerProof } from '#app/components/owner-proof.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { readOwnerProof } from '#app/owner-proof.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page }) => {
  const { user } = await api.sessions.require()
  const { hasPassword, hasPasskey, hasTotp } = await api.twoFactor.get()
  return { hasPassword, takesPasskey: hasPasskey, hasTotp, account: user.email, appName: page.appName }
})

export const action = withApiForm(['intent'], async ({ api, field }) => api.twoFactor.generateBackupCodes(readOwnerProof(field)))

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.newBackupCodes.title)

export default function NewBackupCodes() {
  const text = useText('newBackupCodes')
  const { account, appName, ...proof } = useLoaderData<typeof loader>()
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
      <OwnerProof {...proof} action="/settings/security/codes" failure={result} submit={text.submit} />
      <p>
        <TextLink to="/settings/security">{text.back}</TextLink>
      </p>
    </Card>
  )
}
