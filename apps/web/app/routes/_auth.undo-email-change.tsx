import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { BulletList } from '#app/components/bullet-list.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { DeadLink } from '#app/components/dead-link.tsx'
import { FormErrors } from '#app/components/form-errors.tsx'
import { Heading } from '#app/components/heading.tsx'
import { LocalMailbox } from '#app/components/local-mailbox.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { isDeadLink } from '#app/form-result.ts'
import { useHiddenToken } from '#app/hide-token.ts'
import { readMailedLink } from '#app/mailed-link.server.ts'
import { useMailedText } from '#app/mailed-text.ts'
import { pageTitle } from '#app/page-title.ts'
import { serverTextIn } from '#app/text.server.ts'

const providerNames = (providers: readonly { id: string; name: string }[]) => (id: string) =>
  providers.find((provider) => provider.id === id)?.name ?? id

/** Opening the link changes nothing: mail scanners open links too. */
export const loader = withApi(async ({ api, page, url }) => {
  const { token, answer, refusal } = await readMailedLink(url, page.locale, (link) =>
    api.emailAddress.checkUndoLink({ token: link }),
  )
  const effects = answer ? serverTextIn(page.locale).undoWill(answer.effects, providerNames(page.providers)) : []
  return { token, effects, refusal }
})

/** The token travels in the body, so that it is in no address after the first. */
export const action = withApiForm(['token'], async ({ api, page, field }) => {
  const { effects } = await api.emailAddress.undoChange({ token: field('token') })
  return { effects: serverTextIn(page.locale).undoDid(effects, providerNames(page.providers)) }
})

export { clientAction } from '#app/client-action.ts'

export const headers = () => ({ 'Referrer-Policy': 'no-referrer' })

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.undoEmailChange.title)

export default function UndoEmailChange() {
  const text = useMailedText('undoEmailChange')
  useHiddenToken()
  const loaded = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  if (result && !result.error) return <Undone effects={result.effects} />

  const error = result?.error ?? loaded.refusal
  const token = isDeadLink(result?.error) ? '' : result?.typed.token || loaded.token
  if (token === '') return <DeadLink text={text} newPassword={text.newPassword} error={error} />
  return (
    <>
      <Heading title={text.title}>{text.lead}</Heading>
      {loaded.effects.length > 0 && (
        <div className="grid gap-2">
          <p>{text.consequences}</p>
          <BulletList>{loaded.effects}</BulletList>
        </div>
      )}
      {/* Without the list there is no button: the owner must know what it does. */}
      {loaded.effects.length > 0 || result ? (
        <PageForm action="/undo-email-change" failure={result}>
          <input type="hidden" name="token" value={token} />
          <SubmitButton wide>{text.submit}</SubmitButton>
        </PageForm>
      ) : (
        error && <FormErrors error={error} />
      )}
    </>
  )
}

function Undone({ effects }: { effects: readonly string[] }) {
  const text = useMailedText('undoEmailChange')
  return (
    <>
      <Heading title={text.doneTitle}>
        <p role="status">{text.done}</p>
      </Heading>
      <BulletList>{effects}</BulletList>
      <LocalMailbox />
      <p>
        <TextLink to="/login">{text.signIn}</TextLink>
      </p>
    </>
  )
}
