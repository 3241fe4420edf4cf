import { type MetaFunction, useLoaderData } from '@remix-run/react'
import { withApi } from '#app/api.server.ts'
import { Alert } from '#app/components/alert.tsx'
import { Brand } from '#app/components/brand.tsx'
import { ButtonLink } from '#app/components/button.tsx'
import { StepLine } from '#app/components/step-line.tsx'
import { noticeOf } from '#app/notice.ts'
import type { loader as rootLoader } from '#app/root.tsx'

const text = {
  title: 'One account for the whole floor',
  lead: (appName: string) =>
    `${appName} is where you sign in, prove who you are, and decide what your account may do. Trading stays off until you switch it on.`,
  signIn: 'Sign in',
  signUp: 'Create an account',
  dashboard: 'Open your dashboard',
  notices: {
    'account-deleted':
      'Your account is deleted, and everything of yours with it. Thank you for the time you were here. Farewell.',
  },
  points: [
    ['Confirmed addresses', 'An account opens only after its owner has confirmed the e-mail address behind it.'],
    ['Sessions that end', 'Sign out and the session is gone at once, on the server as well as in the browser.'],
    ['Trading by choice', 'You switch trading on yourself, after a recent sign-in, at a risk level that you pick.'],
  ],
} as const

export const loader = withApi(async ({ api, page, url }) => ({
  appName: page.appName,
  signedIn: (await api.sessions.get()) !== null,
  notice: noticeOf(url, text.notices),
}))

export const meta: MetaFunction<typeof loader, { root: typeof rootLoader }> = ({ data }) => [
  { title: data ? `${data.appName} · ${text.title}` : text.title },
  { name: 'description', content: data ? text.lead(data.appName) : '' },
]

export default function Landing() {
  const { appName, signedIn, notice } = useLoaderData<typeof loader>()
  return (
    <div className="mx-auto flex min-h-dvh max-w-6xl flex-col px-5 sm:px-8">
      <header className="flex items-center justify-between gap-4 py-6">
        <Brand name={appName} />
        {!signedIn && (
          <nav aria-label="Account" className="-mr-5">
            <ButtonLink to="/login" look="quiet">
              {text.signIn}
            </ButtonLink>
          </nav>
        )}
      </header>
      <main id="main" tabIndex={-1} className="flex grow flex-col justify-center gap-14 py-12 sm:gap-20 sm:py-20">
        {notice && <Alert look="success">{notice}</Alert>}
        <div className="grid items-end gap-10 lg:grid-cols-[1.2fr_1fr]">
          <div className="grid gap-6">
            <h1 className="text-4xl leading-[1.08] font-semibold tracking-tight sm:text-6xl">{text.title}</h1>
            <p className="max-w-xl text-lg text-balance text-ink-soft sm:text-xl">{text.lead(appName)}</p>
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
          {text.points.map(([name, description]) => (
            <div key={name} className="grid content-start gap-2">
              <dt className="font-semibold">{name}</dt>
              <dd className="text-ink-soft">{description}</dd>
            </div>
          ))}
        </dl>
      </main>
    </div>
  )
}
