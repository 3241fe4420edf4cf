import { ChevronLeftIcon } from '@heroicons/react/24/outline'
import { Link, NavLink, Outlet, useLocation } from '@remix-run/react'
import { Heading } from '#app/components/heading.tsx'
import { Main } from '#app/components/main.tsx'
import { SectionIcon } from '#app/components/section-icon.tsx'
import { type SettingsSection, settingsGroups } from '#app/settings-groups.ts'
import { useText } from '#app/text.ts'

/** The overview stands alone. Beside each of its pages stands the navigation; on a narrow screen, a link back. */
export default function SettingsFrame() {
  const text = useText('settings')
  const [, , page = ''] = useLocation().pathname.split('/')
  if (page === '')
    return (
      <Main className="grid gap-6 sm:gap-8">
        <Heading title={text.title}>{text.lead}</Heading>
        <Outlet />
      </Main>
    )
  return (
    <div className="grid gap-4 lg:grid-cols-[13rem_1fr] lg:gap-x-12">
      {/* Higher than a low window, it scrolls by itself: the focus must stay in sight. */}
      <nav
        aria-label={text.title}
        className="self-start lg:sticky lg:top-7 lg:-m-1 lg:max-h-[calc(100dvh-3.5rem)] lg:overflow-y-auto lg:p-1"
      >
        <Link
          to="/settings"
          className="-ml-2 inline-flex min-h-11 items-center gap-1.5 rounded-md px-2 font-medium text-ink-soft hover:bg-sunken hover:text-ink lg:ml-0 lg:px-3"
        >
          <ChevronLeftIcon aria-hidden="true" className="size-4" />
          {text.all}
        </Link>
        <div className="hidden gap-5 pt-3 lg:grid">
          {settingsGroups.map(({ group, sections }) => (
            <section key={group} aria-labelledby={`settings-${group}`}>
              <p id={`settings-${group}`} className="px-3 pb-1 text-sm text-ink-soft">
                {text.groups[group]}
              </p>
              <ul>
                {sections.map((section) => (
                  <li key={section}>
                    <NavLink
                      to={`/settings/${section}`}
                      className="flex min-h-10 items-center gap-3 rounded-md px-3 font-medium text-ink-soft hover:bg-sunken hover:text-ink aria-[current]:bg-accent-soft aria-[current]:text-accent aria-[current]:shadow-current forced-colors:border-l-4 forced-colors:border-[Canvas] forced-colors:aria-[current]:border-[Highlight]"
                    >
                      <SectionIcon section={section} />
                      {text.sections[section]}
                    </NavLink>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      </nav>
      <Main className="grid gap-6">
        <Heading title={page in text.sections ? text.sections[page as SettingsSection] : text.title} />
        <Outlet />
      </Main>
    </div>
  )
}
