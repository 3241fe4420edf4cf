import { NavLink, Outlet } from '@remix-run/react'
import { Heading } from '#app/components/heading.tsx'
import { useText } from '#app/text.ts'

export default function SettingsFrame() {
  const text = useText('settings')
  return (
    <div className="grid gap-5 sm:gap-8 lg:grid-cols-[12rem_1fr] lg:gap-x-12">
      <div className="lg:col-span-2">
        <Heading title={text.title} />
      </div>
      <nav
        aria-label={text.title}
        className="-mx-2 grid grid-cols-[repeat(auto-fit,minmax(6.5rem,1fr))] gap-x-1 self-start sm:mx-0 sm:flex sm:flex-wrap sm:gap-1 lg:sticky lg:top-8 lg:flex-col"
      >
        {Object.entries(text.sections).map(([section, label]) => (
          <NavLink
            key={section}
            to={`/settings/${section}`}
            className="flex min-h-10 items-center rounded-md px-2 text-sm font-medium text-ink-soft hover:bg-sunken hover:text-ink aria-[current]:bg-accent-soft aria-[current]:text-accent aria-[current]:shadow-current sm:px-4 sm:text-base"
          >
            {label}
          </NavLink>
        ))}
      </nav>
      <div className="grid min-w-0 content-start gap-6">
        <Outlet />
      </div>
    </div>
  )
}
