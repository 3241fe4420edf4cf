import { NavLink, Outlet, useLocation } from '@remix-run/react'
import { Heading } from '#app/components/heading.tsx'
import { SignInAgainForm } from '#app/components/sign-in-again.tsx'

const text = { title: 'Settings', nav: 'Settings' }

const sections = [
  { to: '/settings/profile', label: 'Profile' },
  { to: '/settings/email', label: 'E-mail' },
  { to: '/settings/password', label: 'Password' },
  { to: '/settings/security', label: 'Security' },
  { to: '/settings/accounts', label: 'Accounts' },
  { to: '/settings/sessions', label: 'Sessions' },
  { to: '/settings/trading', label: 'Trading' },
  { to: '/settings/organizations', label: 'Organizations' },
  { to: '/settings/danger', label: 'Your data' },
]

export default function SettingsFrame() {
  const { pathname } = useLocation()
  return (
    <div className="grid gap-5 sm:gap-8 lg:grid-cols-[12rem_1fr] lg:gap-x-12">
      <div className="lg:col-span-2">
        <Heading title={text.title} />
      </div>
      <nav
        aria-label={text.nav}
        className="-mx-2 grid grid-cols-[repeat(auto-fit,minmax(6.5rem,1fr))] gap-x-1 self-start sm:mx-0 sm:flex sm:flex-wrap sm:gap-1 lg:sticky lg:top-8 lg:flex-col"
      >
        {sections.map(({ to, label }) => (
          <NavLink
            key={to}
            to={to}
            className="flex min-h-10 items-center rounded-md px-2 text-sm font-medium text-ink-soft hover:bg-sunken hover:text-ink aria-[current]:bg-accent-soft aria-[current]:text-accent aria-[current]:shadow-current sm:px-4 sm:text-base"
          >
            {label}
          </NavLink>
        ))}
      </nav>
      <div className="grid min-w-0 content-start gap-6">
        <Outlet />
      </div>
      <SignInAgainForm redirectTo={pathname} />
    </div>
  )
}
