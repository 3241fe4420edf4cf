import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Card, Facts } from '#app/components/card.tsx'
import { Field } from '#app/components/field.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { Status } from '#app/components/status.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { pageTitle } from '#app/page-title.ts'

const text = {
  title: 'Profile',
  name: 'Name',
  nameHint: 'Shown on your pages and in our mails to you.',
  save: 'Save name',
  saved: 'Your name is saved.',
  account: 'Account',
  email: 'E-mail address',
  changeEmail: 'Change your address',
  confirmed: 'Confirmed',
  unconfirmed: 'Not confirmed',
}

export const loader = withApi(async ({ api }) => {
  const { user } = await api.sessions.require()
  return { name: user.name, email: user.email, emailVerified: user.emailVerified }
})

export const action = withApiForm(['name'], async ({ api, field }) => {
  await api.profile.update({ name: field('name') })
  return { saved: true }
})

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, text.title)

export default function ProfileSettings() {
  const { name, email, emailVerified } = useLoaderData<typeof loader>()
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
