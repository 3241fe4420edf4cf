import { languages, locales } from '@floorpass/languages/locales'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Card, Facts } from '#app/components/card.tsx'
import { Field } from '#app/components/field.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { Select } from '#app/components/select.tsx'
import { Status } from '#app/components/status.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { getNotice } from '#app/notice.ts'
import { pageTitle } from '#app/page-title.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async ({ api, page, url, notices }) => {
  const { user } = await api.sessions.require()
  const { name, email, emailVerified } = user
  return { name, email, emailVerified, locale: page.locale, notice: getNotice(url, notices.profile) }
})

export const action = withApiForm(['name'], async ({ api, field }) => {
  await api.profile.update({ name: field('name') })
  return { saved: true }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.profile.title)

export default function ProfileSettings() {
  const text = useText('profile')
  const { name, email, emailVerified, locale, notice } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  return (
    <>
      <Card title={text.title}>
        {result && !result.error && <Alert look="success">{text.saved}</Alert>}
        <PageForm action="/settings/profile" failure={result?.error ? result : undefined}>
          <Field name="name" label={text.name} hint={text.nameHint} autoComplete="name" defaultValue={name} />
          <div>
            <SubmitButton>{text.save}</SubmitButton>
          </div>
        </PageForm>
      </Card>
      <Card title={text.language}>
        {notice && !result && <Alert look="success">{notice}</Alert>}
        <PageForm action="/language" reloadDocument>
          <input type="hidden" name="redirectTo" value="/settings/profile?notice=language" />
          <Select
            name="locale"
            label={text.language}
            quietLabel
            hint={text.languageLead}
            defaultValue={locale}
            options={locales.map((value) => ({ value, label: languages[value] }))}
          />
          <div>
            <SubmitButton look="secondary">{text.saveLanguage}</SubmitButton>
          </div>
        </PageForm>
      </Card>
      <Card title={text.account}>
        <Facts
          rows={[
            {
              name: text.email,
              value: <MailAddress>{email}</MailAddress>,
              more: <Status good={emailVerified}>{emailVerified ? text.confirmed : text.unconfirmed}</Status>,
            },
          ]}
        />
        <p>
          <TextLink to="/settings/email">{text.changeEmail}</TextLink>
        </p>
      </Card>
    </>
  )
}
