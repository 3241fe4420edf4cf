import { NavLink, Outlet, useLoaderData } from '@remix-run/react'
import { withApi } from '#app/api.server.ts'
import { AccountMenu } from '#app/components/account-menu.tsx'
import { Brand } from '#app/components/brand.tsx'
import { ImpersonationBanner } from '#app/components/impersonation-banner.tsx'
import { LanguageSwitch } from '#app/components/language-switch.tsx'
import { momentText } from '#app/moment-text.server.ts'
import { picturePath } from '#app/picture-path.server.ts'
import { documentLocale, loadText, useText } from '#app/text.ts'

// The module of this frame is there when its text is, so nothing behind the sign-in is drawn without words.
if (typeof document !== 'undefined') await loadText(documentLocale(), 'app')

/** Every page inside asks for the session itself too: a navigation can fetch a page without its frame. */
export const loader = withApi(async ({ api, page }) => {
  const { user, session } = await api.sessions.require()
  const organizations = await api.organizations.list()
  return {
    theme: page.theme,
    name: user.name,
    email: user.email,
    isAdministrator: user.role !== 'user',
    openUntil: session.impersonatedBy === null ? null : momentText(session.expiresAt, page.locale),
    picture: picturePath(user.image),
    organizations: organizations
      .filter(({ acceptedAt }) => acceptedAt !== null)
      .map(({ id, name }) => ({ id, name, isActive: id === session.activeOrganizationId })),
  }
})

export default function AppFrame() {
  const text = useText('frame')
  const { isAdministrator, openUntil, ...account } = useLoaderData<typeof loader>()
  return (
    <>
      {openUntil && <ImpersonationBanner email={account.email} until={openUntil} />}
      <header className="border-b border-line bg-surface print:hidden">
        <div className="mx-auto flex max-w-5xl flex-wrap items-center gap-x-8 px-5 sm:px-8">
          <div className="flex py-2 sm:py-3">
            <Brand />
          </div>
          <nav aria-label={text.nav} className="order-last -mx-3 flex w-full sm:order-none sm:mx-0 sm:w-auto">
            <Tab to="/dashboard">{text.dashboard}</Tab>
            <Tab to="/settings">{text.settings}</Tab>
            {isAdministrator && <Tab to="/admin">{text.administration}</Tab>}
          </nav>
          <div className="-mr-2 ml-auto py-1">
            <AccountMenu {...account} />
          </div>
        </div>
      </header>
      <div className="mx-auto grid w-full max-w-5xl grow content-start px-5 py-7 sm:px-8 sm:py-12">
        <Outlet />
      </div>
      {/* The language is a setting of the user. */}
      {!openUntil && <LanguageSwitch />}
    </>
  )
}

function Tab({ to, children }: { to: string; children: string }) {
  return (
    <NavLink
      to={to}
      className="flex min-h-11 items-center border-y-2 border-transparent px-3 sm:min-h-16 font-medium text-ink-soft hover:text-ink aria-[current]:border-b-accent aria-[current]:text-ink forced-colors:border-t-0 forced-colors:border-b-[Canvas] forced-colors:aria-[current]:border-b-[Highlight]"
    >
      {children}
    </NavLink>
  )
}
