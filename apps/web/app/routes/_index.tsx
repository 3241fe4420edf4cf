import { type MetaFunction, useLoaderData } from '@remix-run/react'
import { withApi } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { Brand } from '#app/components/brand.tsx'
import { ButtonLink } from '#app/components/button.tsx'
import { LanguageSwitch } from '#app/components/language-switch.tsx'
import { StepLine } from '#app/components/step-line.tsx'
import { getNotice } from '#app/notice.ts'
import { serverTextIn } from '#app/text.server.ts'

export const loader = withApi(async ({ api, page, url, notices }) => {
  const text = serverTextIn(page.locale).landing
  return {
    appName: page.appName,
    text: { ...text, lead: text.lead(page.appName) },
    signedIn: (await api.sessions.get()) !== null,
    notice: getNotice(url, notices.landing),
  }
})

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data ? [{ title: `${data.appName} · ${data.text.title}` }, { name: 'description', content: data.text.lead }] : []

export default function Landing() {
  const { text, signedIn, notice } = useLoaderData<typeof loader>()
  return (
    <div className="mx-auto flex w-full max-w-6xl grow flex-col px-5 sm:px-8">
      <header className="flex items-center justify-between gap-4 py-6">
        <Brand />
        {!signedIn && (
          <nav aria-label={text.nav} className="-mr-5">
            <ButtonLink to="/login" look="quiet">
              {text.signIn}
            </ButtonLink>
          </nav>
        )}
      </header>
      <main id="main" tabIndex={-1} className="flex grow flex-col gap-14 py-12 sm:gap-20 sm:py-[12vh]">
        {notice && <Alert look="success">{notice}</Alert>}
        <div className="grid items-end gap-10 lg:grid-cols-[1.2fr_1fr]">
          <div className="grid gap-6">
            <h1 className="text-4xl leading-[1.08] font-semibold tracking-tight sm:text-6xl">{text.title}</h1>
            <p className="max-w-xl text-lg text-balance text-ink-soft sm:text-xl">{text.lead}</p>
            <p className="mt-2 flex flex-wrap gap-3">
              {signedIn ? (
                <ButtonLink to="/dashboard">{text.dashboard}</ButtonLink>
              ) : (
                <>
                  <ButtonLink to="/signup">{text.signUp}</ButtonLink>
                  <ButtonLink to="/login" look="secondary">
                    {text.signIn}
                  </ButtonLink>
                </>
              )}
            </p>
          </div>
          <StepLine className="hidden text-accent lg:block" />
        </div>
        <dl className="grid gap-8 border-t border-line pt-8 sm:grid-cols-3">
          {text.points.map(({ name, description }) => (
            <div key={name} className="grid content-start gap-2">
              <dt className="font-semibold">{name}</dt>
              <dd className="text-ink-soft">{description}</dd>
            </div>
          ))}
        </dl>
      </main>
      <LanguageSwitch />
    </div>
  )
}
