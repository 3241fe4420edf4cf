import { NavLink, Outlet, useLoaderData } from '@remix-run/react'
import { withApi } from '#app/api.server.ts'
import { Brand } from '#app/components/brand.tsx'
import { SubmitButton } from '#app/components/button.tsx'
import { LanguageSwitch } from '#app/components/language-switch.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { documentLocale, loadText, useText } from '#app/text.ts'

// The module of this frame is there when its text is, so nothing behind the sign-in is drawn without words.
if (typeof document !== 'undefined') await loadText(documentLocale(), 'app')

/** Every page inside asks for the session itself too: a navigation can fetch a page without its frame. */
export const loader = withApi(async ({ api, page }) => {
  const { user } = await api.sessions.require()
  return { appName: page.appName, email: user.email }
})

export default function AppFrame() {
  const text = useText('frame')
  const { appName, email } = useLoaderData<typeof loader>()
  return (
    <>
      <header className="border-b border-line bg-surface print:hidden">
        <div className="mx-auto flex max-w-5xl flex-wrap items-center gap-x-8 px-5 sm:px-8">
          <div className="flex py-2 sm:py-3">
            <Brand name={appName} />
          </div>
          <nav aria-label={text.nav} className="order-last -mx-3 flex w-full sm:order-none sm:mx-0 sm:w-auto">
            <Tab to="/dashboard">{text.dashboard}</Tab>
            <Tab to="/settings">{text.settings}</Tab>
          </nav>
          <div className="-mr-5 ml-auto flex min-w-0 items-center gap-1 py-1 sm:py-2.5">
            <span className="hidden max-w-56 truncate text-sm text-ink-soft md:block">{email}</span>
            <PageForm action="/logout" reloadDocument className="contents">
              <SubmitButton look="quiet">{text.signOut}</SubmitButton>
            </PageForm>
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1} className="mx-auto grid w-full max-w-5xl grow content-start gap-8 px-5 py-7 sm:px-8 sm:py-12">
        <Outlet />
      </main>
      <LanguageSwitch />
    </>
  )
}

function Tab({ to, children }: { to: string; children: string }) {
  return (
    <NavLink
      to={to}
      className="flex min-h-11 items-center border-y-2 border-transparent px-3 sm:min-h-16 font-medium text-ink-soft hover:text-ink aria-[current]:border-b-accent aria-[current]:text-ink"
    >
      {children}
    </NavLink>
  )
}
