import { redirectDocument } from '@remix-run/node'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { tryCall, withApi, withApiForm } from '#app/api.server.ts'
import { Card } from '#app/components/card.tsx'
import { ConfirmationDetails, ConfirmationOrigin } from '#app/components/confirmation-details.tsx'
import { ConfirmationForms } from '#app/components/confirmation-forms.tsx'
import { ConfirmationOutcome } from '#app/components/confirmation-outcome.tsx'
import { Heading } from '#app/components/heading.tsx'
import { Main } from '#app/components/main.tsx'
import { groupDetails } from '#app/confirmation-details.server.ts'
import { callbackOf, pathOf } from '#app/confirmation-target.server.ts'
import { momentText } from '#app/moment-text.server.ts'
import { pageTitle } from '#app/page-title.ts'
import { readPasskey } from '#app/passkey-field.server.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page, url, redirectTo, text }) => {
  await api.sessions.require()
  const id = url.searchParams.get('id') ?? ''
  const { answer } = await tryCall(api.confirmations.get({ id }), page.locale)
  if (!answer) return { status: 'not-found' as const, request: null, callback: redirectTo }
  const { status, expiresAt, createdBy } = answer
  const callback = callbackOf(redirectTo, id, status === 'consumed' ? 'approved' : status)
  if (status !== 'pending') return { status, request: null, callback }
  const { hasTotp } = await api.twoFactor.get()
  const { byBrowser, byOperator } = text.confirmation
  return {
    status,
    callback,
    request: {
      path: pathOf(url),
      details: groupDetails(answer),
      requestedBy: createdBy === null ? byBrowser : createdBy === 'SERVICE_KEYS' ? byOperator(page.appName) : createdBy,
      audience: answer.audience,
      expires: momentText(expiresAt, page.locale),
      left: { secondsLeft: Math.max(1, (expiresAt.getTime() - Date.now()) / 1000) },
      method: answer.method,
      blockedBy: answer.blockedBy,
      heldUntil: answer.heldUntil && momentText(answer.heldUntil, page.locale),
      options: answer.options,
      hasPasskeys: page.passkeys,
      hasTotp,
    },
  }
})

export const action = withApiForm(['intent'], async ({ api, url, redirectTo, field }) => {
  const id = url.searchParams.get('id') ?? ''
  const intent = field('intent')
  if (intent === 'reject') await api.confirmations.reject({ id })
  else if (intent === 'passkey') await api.confirmations.approve({ id, response: readPasskey(field) })
  else if (intent === 'code') await api.confirmations.approve({ id, code: field('code') })
  else if (intent === 'press') await api.confirmations.approve({ id })
  else throw new Response('Bad Request', { status: 400 })
  // The target may be a page of another application on this origin.
  throw redirectDocument(callbackOf(redirectTo, id, intent === 'reject' ? 'rejected' : 'approved') ?? pathOf(url))
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.confirmation.title)

export default function Confirm() {
  const text = useText('confirmation')
  const { status, request, callback } = useLoaderData<typeof loader>()
  const failure = useActionData<typeof action>()
  return (
    <Main className="mx-auto grid w-full max-w-xl gap-6">
      {request === null ? (
        <ConfirmationOutcome status={status} callback={callback} />
      ) : (
        <>
          <Heading title={text.title}>{text.lead}</Heading>
          <ConfirmationDetails details={request.details} />
          <Card>
            <ConfirmationOrigin {...request} />
          </Card>
          <Card>
            <ConfirmationForms {...request} failure={failure} />
          </Card>
        </>
      )}
    </Main>
  )
}
