import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { Heading } from '#app/components/heading.tsx'
import { LocalMailbox } from '#app/components/local-mailbox.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { isDeadLink } from '#app/form-result.ts'
import { useHiddenToken } from '#app/hide-token.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

/** Opening the link changes nothing: mail scanners open links too. */
export const loader = withApi(async ({ url }) => ({ token: url.searchParams.get('token') ?? '' }))

/** The token travels in the body, so that it is in no address after the first. */
export const action = withApiForm(['token'], async ({ api, field }) => {
  await api.emailAddress.undoChange({ token: field('token') })
  return { undone: true }
})

export { clientAction } from '#app/client-action.ts'

export const headers = () => ({ 'Referrer-Policy': 'no-referrer' })

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.undoEmailChange.title)

export default function UndoEmailChange() {
  const text = useText('undoEmailChange')
  useHiddenToken()
  const loaded = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  if (result && !result.error) return <Undone />

  const token = isDeadLink(result?.error) ? '' : result?.typed.token || loaded.token
  return token === '' ? (
    <>
      <Heading title={text.title}>{text.deadLead}</Heading>
      {result && <FormErrors error={result.error} />}
      <ButtonLink to="/forgot-password" wide>
        {text.newPassword}
      </ButtonLink>
      <p>
        <TextLink to="/login">{text.signIn}</TextLink>
      </p>
    </>
  ) : (
    <>
      <Heading title={text.title}>{text.lead}</Heading>
      <div className="grid gap-2">
        <p>{text.consequences}</p>
        <ul className="grid list-disc gap-1 pl-5">
          {text.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ul>
      </div>
      <PageForm action="/undo-email-change" failure={result}>
        <input type="hidden" name="token" value={token} />
        <SubmitButton wide>{text.submit}</SubmitButton>
      </PageForm>
    </>
  )
}

function Undone() {
  const text = useText('undoEmailChange')
  return (
    <>
      <Heading title={text.doneTitle}>
        <p role="status">{text.done}</p>
      </Heading>
      <LocalMailbox />
      <p>
        <TextLink to="/login">{text.signIn}</TextLink>
      </p>
    </>
  )
}
