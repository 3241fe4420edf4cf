import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { RadioCards, Switch } from '#app/components/choices.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { ReauthenticationGate, reauthenticateLink } from '#app/components/reauthentication-gate.tsx'
import { pageTitle } from '#app/page-title.ts'
import { type Text, useText } from '#app/text.ts'

type RiskLevel = keyof Text['riskLevels']

export const loader = withApi(async ({ api }) => {
  const { user, isReauthenticated } = await api.sessions.require()
  return { isReauthenticated, tradingEnabled: user.tradingEnabled, riskLevel: user.riskLevel }
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
  const { isReauthenticated, tradingEnabled, riskLevel } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  // Without a recent proof the page offers only what lowers the risk: the levels stand from the lowest to the highest.
  const mayLoosen = isReauthenticated || result?.error !== undefined
  const levels = Object.entries(useText('riskLevels')).map(([value, words]) => ({ value, ...words }))
  const present = levels.findIndex(({ value }) => value === riskLevel)
  const options = levels.map((level, index) => ({ ...level, disabled: !mayLoosen && index > present }))
  return (
    <Card>
      {result && !result.error && <Alert look="success">{text.saved}</Alert>}
      {!mayLoosen && <ReauthenticationGate>{text.gate}</ReauthenticationGate>}
      <PageForm
        action="/settings/trading"
        failure={result?.error ? result : undefined}
        remedy={reauthenticateLink(result?.error)}
        className="grid gap-7"
      >
        <Switch
          name="tradingEnabled"
          label={text.enabled}
          hint={text.enabledHint}
          defaultChecked={tradingEnabled}
          disabled={!mayLoosen && !tradingEnabled}
        />
        <RadioCards name="riskLevel" legend={text.risk} hint={text.riskHint} defaultValue={riskLevel} options={options} />
        {(mayLoosen || tradingEnabled || present > 0) && (
          <div>
            <SubmitButton>{text.save}</SubmitButton>
          </div>
        )}
      </PageForm>
    </Card>
  )
}
