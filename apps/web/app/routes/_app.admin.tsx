import { NavLink, Outlet, useLoaderData } from '@remix-run/react'
import { withAdministration } from '#app/administration.server.ts'
import { useAdministrationText } from '#app/administration-text.ts'
import { Main } from '#app/components/main.tsx'

export const loader = withAdministration(async ({ api }) => {
  const [{ refusedMails, failingWebhooks }, { success: seesSettings }] = await Promise.all([
    api.administration.counts(),
    api.administration.hasPermission({ permissions: { setting: ['list'] } }),
  ])
  return { refusedMails, failingWebhooks, seesSettings }
})

/** Each page below asks for the proof itself too: a navigation can fetch a page without its frame. */
export default function AdministrationFrame() {
  const text = useAdministrationText('administrationFrame')
  const { refusedMails, failingWebhooks, seesSettings } = useLoaderData<typeof loader>()
  const pages = [
    { to: '/admin', label: text.users },
    { to: '/admin/organizations', label: text.organizations },
    { to: '/admin/activity', label: text.activity },
    { to: '/admin/mails', label: text.mails, note: refusedMails > 0 ? text.refusedMails(refusedMails) : null },
    { to: '/admin/webhooks', label: text.webhooks, note: failingWebhooks > 0 ? text.failingWebhooks(failingWebhooks) : null },
    ...(seesSettings ? [{ to: '/admin/settings', label: text.settings }] : []),
  ]
  return (
    <Main className="grid gap-6">
      <nav aria-label={text.name} className="-mx-2 flex flex-wrap border-b border-line">
        {pages.map(({ to, label, note }) => (
          <NavLink
            key={to}
            to={to}
            end={to === '/admin'}
            className="flex min-h-11 items-center gap-2 border-b-2 border-transparent px-3 font-medium text-ink-soft hover:text-ink aria-[current]:border-b-accent aria-[current]:text-ink"
          >
            {label}
            {note && <span className="text-sm font-normal">({note})</span>}
          </NavLink>
        ))}
      </nav>
      <Outlet />
    </Main>
  )
}
