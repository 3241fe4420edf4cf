import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { BulletList } from '#app/components/bullet-list.tsx'
import { ButtonLink, SubmitButton } from '#app/components/button.tsx'
import { DeadLink } from '#app/components/dead-link.tsx'
import { Heading } from '#app/components/heading.tsx'
import { LocalMailbox } from '#app/components/local-mailbox.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { isDeadLink } from '#app/form-result.ts'
import { useHiddenToken } from '#app/hide-token.ts'
import { readMailedLink } from '#app/mailed-link.server.ts'
import { useMailedText } from '#app/mailed-text.ts'
import { pageTitle } from '#app/page-title.ts'

/** Opening the link changes nothing: mail scanners open links too. */
export const loader = withApi(async ({ api, page, url }) => {
  const { token, answer, refusal } = await readMailedLink(url, page.locale, (link) =>
    api.protection.checkPanicLink({ token: link }),
  )
  return { token, wasUsed: answer?.wasUsed ?? false, refusal }
})

/** The token travels in the body, so that it is in no address after the first. */
export const action = withApiForm(['token'], async ({ api, field }) => {
  await api.protection.panic({ token: field('token') })
  return { isDone: true }
})

export { clientAction } from '#app/client-action.ts'

export const headers = () => ({ 'Referrer-Policy': 'no-referrer' })

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.panic.title)

export default function Panic() {
  const text = useMailedText('panic')
  useHiddenToken()
  const loaded = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  if ((result && !result.error) || loaded.wasUsed) return <Stopped wasUsed={!result && loaded.wasUsed} />

  const error = result?.error ?? loaded.refusal
  const token = isDeadLink(result?.error) ? '' : result?.typed.token || loaded.token
  if (token === '') return <DeadLink text={text} newPassword={text.newPassword} error={error} />
  return (
    <>
      <Heading title={text.title}>{text.lead}</Heading>
      <BulletList>{text.effects}</BulletList>
      <p className="text-pretty">{text.harmless}</p>
      <PageForm action="/panic" failure={result}>
        <input type="hidden" name="token" value={token} />
        <SubmitButton look="danger" wide>
          {text.submit}
        </SubmitButton>
      </PageForm>
    </>
  )
}

function Stopped({ wasUsed }: { wasUsed: boolean }) {
  const text = useMailedText('panic')
  return (
    <>
      <Heading title={text.doneTitle}>
        <p role="status">{wasUsed ? text.usedLead : text.done}</p>
      </Heading>
      <p>{text.nextTitle}</p>
      <BulletList>{text.next}</BulletList>
      <LocalMailbox />
      <ButtonLink to="/forgot-password" wide>
        {text.newPassword}
      </ButtonLink>
      <p>
        <TextLink to="/login">{text.signIn}</TextLink>
      </p>
    </>
  )
}
