import { NavLink, Outlet, useLocation } from '@remix-run/react'
import { Heading } from '#app/components/heading.tsx'
import { SignInAgainForm } from '#app/components/sign-in-again.tsx'
import { useText } from '#app/text.ts'

export default function SettingsFrame() {
  const text = useText('settings')
  const { pathname } = useLocation()
  return (
    <div className="grid gap-8 lg:grid-cols-[12rem_1fr] lg:gap-x-12">
      <div className="lg:col-span-2">
        <Heading title={text.title} />
      </div>
      <nav
        aria-label={text.title}
        className="grid grid-cols-[repeat(auto-fit,minmax(8.25rem,1fr))] gap-1 self-start sm:flex sm:flex-wrap lg:flex-col"
      >
        {Object.entries(text.sections).map(([section, label]) => (
          <NavLink
            key={section}
            to={`/settings/${section}`}
            className="flex min-h-11 items-center rounded-md px-3 font-medium sm:px-4 text-ink-soft hover:bg-sunken hover:text-ink aria-[current]:bg-accent-soft aria-[current]:text-accent"
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
