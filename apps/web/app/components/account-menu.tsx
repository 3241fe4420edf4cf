import type { Theme } from '@floorpass/functions'
import {
  ArrowRightStartOnRectangleIcon,
  CheckIcon,
  ChevronDownIcon,
  Cog6ToothIcon,
  ComputerDesktopIcon,
  MoonIcon,
  ShieldCheckIcon,
  SunIcon,
  UserIcon,
} from '@heroicons/react/24/outline'
import { Link, useLocation } from '@remix-run/react'
import { type ReactNode, useEffect, useRef } from 'react'
import { Avatar } from '#app/components/avatar.tsx'
import { PageForm } from '#app/components/page-form.tsx'
import { useText } from '#app/text.ts'

const id = 'account-menu'
const row =
  'flex min-h-11 w-full items-center gap-3 rounded-md px-3 text-left hover:bg-sunken focus-visible:-outline-offset-3 aria-[current]:font-semibold'

type AccountMenuProps = {
  name: string
  email: string
  picture: string | null
  theme: Theme
  organizations: readonly { id: string; name: string; isActive: boolean }[]
}

/** A popover: the browser opens and closes it, so it works without JavaScript. */
export function AccountMenu({ name, email, picture, theme, organizations }: AccountMenuProps) {
  const text = useText('frame')
  const menu = useRef<HTMLDivElement>(null)
  const { pathname, search } = useLocation()
  const here = <input type="hidden" name="redirectTo" value={pathname + search} />

  // A navigation without a new document leaves it open. Not on the first effect: a person may open it before the scripts have come.
  useEffect(() => {
    const shown = menu.current
    return () => {
      if (pathname) shown?.hidePopover?.()
    }
  }, [pathname])

  return (
    <>
      <button
        type="button"
        popovertarget={id}
        className="flex min-h-11 items-center gap-2 rounded-full py-1 pr-2 pl-1 hover:bg-sunken"
      >
        <Avatar name={name} picture={picture} />
        <span className="sr-only">{text.menu(name)}</span>
        <ChevronDownIcon aria-hidden="true" className="size-4 text-ink-soft" />
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        className="absolute top-16 right-[max(1rem,50%-30rem)] bottom-auto left-auto max-h-[calc(100dvh-5rem)] w-80 max-w-[calc(100vw-2rem)] overflow-auto rounded-xl border border-line bg-surface p-2 text-ink shadow-lift"
      >
        <div className="flex items-center gap-3 px-3 py-3">
          <Avatar name={name} picture={picture} />
          <div className="min-w-0">
            <p className="truncate font-semibold">{name}</p>
            <p className="truncate text-sm text-ink-soft">{email}</p>
          </div>
        </div>
        <ul className="border-t border-line py-2">
          <MenuLink to="/settings/profile" icon={UserIcon}>
            {text.profile}
          </MenuLink>
          <MenuLink to="/settings/security" icon={ShieldCheckIcon}>
            {text.security}
          </MenuLink>
          <MenuLink to="/settings" icon={Cog6ToothIcon}>
            {text.allSettings}
          </MenuLink>
        </ul>
        {organizations.length > 0 && (
          <MenuForm action="/active-organization" label={text.organization}>
            {here}
            {[
              { id: '', name: text.noOrganization, isActive: !organizations.some(({ isActive }) => isActive) },
              ...organizations,
            ].map((organization) => (
              <button
                key={organization.id}
                type="submit"
                name="organizationId"
                value={organization.id}
                aria-current={organization.isActive || undefined}
                className={row}
              >
                <span className="min-w-0 grow truncate">{organization.name}</span>
                {organization.isActive && <CheckIcon aria-hidden="true" className="size-5 shrink-0 text-accent" />}
              </button>
            ))}
          </MenuForm>
        )}
        <MenuForm action="/theme" label={text.theme} className="grid grid-cols-3 gap-1">
          {here}
          {themes.map(({ value, icon: Icon }) => (
            <button
              key={value}
              type="submit"
              name="theme"
              value={value}
              aria-current={value === theme || undefined}
              className="grid min-h-16 place-items-center content-center gap-1 rounded-md border border-transparent px-1 text-sm hover:bg-sunken aria-[current]:border-accent aria-[current]:bg-accent-soft aria-[current]:font-semibold aria-[current]:text-accent"
            >
              <Icon aria-hidden="true" className="size-5" />
              {text.themes[value]}
            </button>
          ))}
        </MenuForm>
        <PageForm action="/logout" reloadDocument className="border-t border-line pt-2">
          <button type="submit" className={row}>
            <ArrowRightStartOnRectangleIcon aria-hidden="true" className="size-5 shrink-0 text-ink-soft" />
            {text.signOut}
          </button>
        </PageForm>
      </div>
    </>
  )
}

const themes = [
  { value: 'system', icon: ComputerDesktopIcon },
  { value: 'light', icon: SunIcon },
  { value: 'dark', icon: MoonIcon },
] as const

type MenuLinkProps = { to: string; icon: typeof UserIcon; children: ReactNode }

function MenuLink({ to, icon: Icon, children }: MenuLinkProps) {
  return (
    <li>
      <Link to={to} className={row}>
        <Icon aria-hidden="true" className="size-5 shrink-0 text-ink-soft" />
        {children}
      </Link>
    </li>
  )
}

type MenuFormProps = { action: string; label: string; className?: string; children: ReactNode }

/** A plain form: colours and organization belong to the whole document. */
function MenuForm({ action, label, className, children }: MenuFormProps) {
  const heading = `${id}-${action.slice(1)}`
  return (
    <form method="post" action={action} aria-labelledby={heading} className="border-t border-line py-2">
      <p id={heading} className="px-3 py-1 text-sm text-ink-soft">
        {label}
      </p>
      <div className={className}>{children}</div>
    </form>
  )
}
