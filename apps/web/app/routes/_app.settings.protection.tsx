import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { BulletList } from '#app/components/bullet-list.tsx'
import { ButtonLink } from '#app/components/button.tsx'
import { Card } from '#app/components/card.tsx'
import { LockMade } from '#app/components/lock-made.tsx'
import { ProtectionHold } from '#app/components/protection-hold.tsx'
import { ProtectionLock } from '#app/components/protection-lock.tsx'
import { ProtectionPhrase } from '#app/components/protection-phrase.tsx'
import { ResultAlert } from '#app/components/result-alert.tsx'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { readPasskey } from '#app/passkey-field.server.ts'
import { type ProtectionIntent, protectionForms } from '#app/protection-forms.ts'
import { lockDayChoices, phraseLength } from '#app/protection-page.server.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page }) => {
  const { isReauthenticated } = await api.sessions.require()
  const { hold, lock, phrase, passkey, next } = await api.protection.get()
  const show = (moment: Date | null) => moment && momentText(moment, page.locale)
  return {
    isReauthenticated,
    hasPasskeys: page.passkeys,
    passkey,
    next,
    phrase,
    phraseLength,
    hold: {
      until: show(hold.until),
      reasons: hold.reasons.map(({ reason, endsAt }) => ({ reason, ends: momentText(endsAt, page.locale) })),
      liftable: hold.liftable,
    },
    lock: {
      locked: lock.locked,
      kind: lock.kind,
      unlockDays: lock.unlockDays,
      unlockAt: show(lock.unlockAt),
      hasKey: lock.hasKey,
      ...lockDayChoices(lock.days),
    },
  }
})

export const action = withApiForm(['intent', 'phrase', 'days'], async ({ api, field, text }) => {
  const intent = field('intent')
  const { done } = text.protection
  const passkey = field('passkey') === '' ? undefined : readPasskey(field)
  if (intent === 'lock') {
    const { lockKey } = await api.protection.lock({ days: Number(field('days')), passkey })
    return { done: done.lock, made: { lockKey } }
  }
  if (intent === 'request-unlock') await api.protection.requestUnlock()
  else if (intent === 'cancel-unlock') await api.protection.cancelUnlock()
  else if (intent === 'unlock-with-key') await api.protection.unlockWithKey({ key: field('key'), passkey })
  else if (intent === 'undo-panic') await api.protection.undoPanic({ passkey })
  else if (intent === 'lift-hold') await api.protection.liftHold({ passkey })
  else if (intent === 'set-phrase') await api.protection.setPhrase({ phrase: field('phrase') })
  else if (intent === 'remove-phrase') await api.protection.setPhrase({ phrase: null })
  else throw new Response('Bad Request', { status: 400 })
  return { done: done[intent], made: null }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.protection.title)

const path = '/settings/protection'

const pathOfStep = {
  'add-passkey': '/settings/passkeys',
  'enable-allow-list': '/settings/allow-list',
  'set-phrase': '#set-phrase',
  lock: '#lock',
  'undo-panic': '#lock',
}

export default function ProtectionSettings() {
  const text = useText('protection')
  const loaded = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const failure = result?.error ? result : undefined
  const made = result?.error ? null : result?.made
  const failureOf = (intent: ProtectionIntent) => (failure?.typed.intent === intent ? failure : undefined)
  const forms = protectionForms(loaded, failure?.typed.intent)
  const { next } = loaded
  const isDone = !loaded.lock.locked || (loaded.phrase !== null && loaded.passkey !== 'none')
  return (
    <div className="grid gap-6">
      {!made && <ResultAlert result={result} intents={forms} />}
      {made ? (
        <LockMade path={path} made={made} />
      ) : (
        <Card {...(next !== null && { title: text.nextTitle })}>
          <p className="text-pretty text-ink-soft">{text.lead}</p>
          {next === null ? (
            <p className="font-medium">{isDone ? text.allDone : text.laterSteps}</p>
          ) : (
            <>
              <p className="text-pretty">{text.steps[next].why}</p>
              <div>
                <ButtonLink to={pathOfStep[next]}>{text.steps[next].link}</ButtonLink>
              </div>
            </>
          )}
        </Card>
      )}
      <ProtectionHold {...loaded} path={path} forms={forms} failure={failureOf('lift-hold')} />
      <ProtectionLock {...loaded} path={path} forms={forms} failureOf={failureOf} />
      <ProtectionPhrase {...loaded} path={path} forms={forms} failureOf={failureOf} />
      <Card title={text.limitsTitle}>
        <BulletList>{text.limits}</BulletList>
      </Card>
    </div>
  )
}
