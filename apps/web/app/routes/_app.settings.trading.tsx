import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { RadioCards, Switch } from '#app/components/choices.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { signInAgain } from '#app/components/sign-in-again.tsx'
import { pageTitle } from '#app/page-title.ts'
import { type Text, useText } from '#app/text.ts'

type RiskLevel = keyof Text['riskLevels']

export const loader = withApi(async ({ api }) => {
  const { user } = await api.sessions.require()
  return { tradingEnabled: user.tradingEnabled, riskLevel: user.riskLevel }
})

export const action = withApiForm(['tradingEnabled', 'riskLevel'], async ({ api, field }) => {
  // The procedure refuses any other level.
  await api.profile.update({ tradingEnabled: field('tradingEnabled') === 'on', riskLevel: field('riskLevel') as RiskLevel })
  return { saved: true }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.trading.title)

export default function TradingSettings() {
  const text = useText('trading')
  const { tradingEnabled, riskLevel } = useLoaderData<typeof loader>()
  const levels = Object.entries(useText('riskLevels')).map(([value, words]) => ({ value, ...words }))
  const result = useActionData<typeof action>()
  return (
    <Card title={text.title}>
      {result && !result.error && <Alert look="success">{text.saved}</Alert>}
      <PageForm
        action="/settings/trading"
        failure={result?.error ? result : undefined}
        wayOut={signInAgain(result?.error)}
        className="grid gap-7"
      >
        <Switch name="tradingEnabled" label={text.enabled} hint={text.enabledHint} defaultChecked={tradingEnabled} />
        <RadioCards name="riskLevel" legend={text.risk} hint={text.riskHint} defaultValue={riskLevel} options={levels} />
        <div>
          <SubmitButton>{text.save}</SubmitButton>
        </div>
      </PageForm>
    </Card>
  )
}
