import { providerIds } from '@floorpass/api/contracts'
import { languages, locales } from '@floorpass/languages/locales'
import { type MetaFunction, useActionData, useLoaderData } from '@remix-run/react'
import { FieldError, refusalNamed, withApi, withApiForm } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { Card, Facts } from '#app/components/card.tsx'
import { Field } from '#app/components/field.tsx'
import { MailAddress } from '#app/components/mail-address.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { PictureCard } from '#app/components/picture-card.tsx'
import { Select } from '#app/components/select.tsx'
import { Status } from '#app/components/status.tsx'
import { TextLink } from '#app/components/text-link.tsx'
import { getNotice } from '#app/notice.ts'
import { pageTitle } from '#app/page-title.ts'
import { picturePath } from '#app/picture-path.server.ts'
import { useText } from '#app/text.ts'

/** The only refusal that comes by the address: the edge does not read a form that is too large. */
const tooLarge = 'PICTURE_TOO_LARGE'

export const loader = withApi(async ({ api, page, url, notices }) => {
  const { user } = await api.sessions.require()
  const { name, email, emailVerified } = user
  const offered = await api.profile.listPictureProviders()
  return {
    name,
    email,
    emailVerified,
    picture: picturePath(user.image),
    pictureProviders: page.providers.filter(({ id }) => offered.includes(id)),
    refusal: url.searchParams.get('error') === tooLarge ? refusalNamed(tooLarge, page.locale) : null,
    locale: page.locale,
    notice: getNotice(url, notices.profile),
  }
})

export const action = withApiForm(['name', 'intent'], async ({ api, field, file, text }) => {
  const intent = field('intent')
  if (intent === 'set-picture') {
    const picture = await file('picture')
    if (picture === null) throw new FieldError('picture', text.profile.picture.missing)
    await api.profile.setPicture({ picture })
    return { done: text.profile.picture.saved, about: 'picture' as const }
  }
  const provider = providerIds.find((id) => intent === `take-picture-${id}`)
  if (provider) {
    await api.profile.takeProviderPicture({ providerId: provider })
    return { done: text.profile.picture.saved, about: 'picture' as const }
  }
  if (intent === 'remove-picture') {
    await api.profile.removePicture()
    return { done: text.profile.picture.removed, about: 'picture' as const }
  }
  await api.profile.update({ name: field('name') })
  return { done: text.profile.saved, about: 'name' as const }
})

export { clientAction } from '#app/client-action.ts'

export const meta: MetaFunction = ({ matches }) => pageTitle(matches, (text) => text.profile.title)

export default function ProfileSettings() {
  const text = useText('profile')
  const { name, email, emailVerified, picture, pictureProviders, refusal, locale, notice } = useLoaderData<typeof loader>()
  const result = useActionData<typeof action>()
  const isName = result?.error ? !result.typed.intent : result?.about === 'name'
  const tooLargeFailure = refusal && !result ? { error: refusal, typed: {} } : undefined
  return (
    <>
      <Card>
        {isName && !result?.error && <Alert look="success">{text.saved}</Alert>}
        <PageForm action="/settings/profile" failure={isName && result?.error ? result : undefined}>
          <Field name="name" label={text.name} hint={text.nameHint} autoComplete="name" defaultValue={name} />
          <div>
            <SubmitButton>{text.save}</SubmitButton>
          </div>
        </PageForm>
      </Card>
      <PictureCard
        name={name}
        picture={picture}
        providers={pictureProviders}
        result={isName ? undefined : result}
        tooLarge={tooLargeFailure}
      />
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
