import { NavLink, Outlet, useLoaderData } from '@remix-run/react'
import { withApi } from '#app/api.server.ts'
import { TextLink } from '#app/components/text-link.tsx'
import { pathOfOrganization } from '#app/organization-forms.tsx'
import { loadOrganization } from '#app/organization-page.server.ts'
import { useText } from '#app/text.ts'

export const loader = withApi(async (args) => {
  const { name, slug, mayInvite, mayUseApiKeys, mayUpdate } = (await loadOrganization(args)).organization
  return { name, slug, mayInvite, mayUseApiKeys, mayUpdate }
})

/** Each page below asks for the membership itself too: a navigation can fetch a page without its frame. */
export default function OrganizationFrame() {
  const text = useText('organization')
  const { name, slug, mayInvite, mayUseApiKeys, mayUpdate } = useLoaderData<typeof loader>()
  const pages = [
    { page: '', label: text.pages.overview },
    { page: 'members', label: text.pages.members },
    ...(mayInvite ? [{ page: 'invitations', label: text.pages.invitations }] : []),
    ...(mayUseApiKeys ? [{ page: 'api-keys', label: text.pages['api-keys'] }] : []),
    { page: 'settings', label: text.pages.settings },
    ...(mayUpdate ? [{ page: 'activity', label: text.pages.activity }] : []),
  ]
  return (
    <>
      <div className="grid gap-3">
        <p>
          <TextLink to="/settings/organizations">{text.all}</TextLink>
        </p>
        <h2 className="text-xl font-semibold wrap-anywhere">{name}</h2>
        <nav aria-label={text.title} className="-mx-2 flex flex-wrap border-b border-line">
          {pages.map(({ page, label }) => (
            <NavLink
              key={page}
              to={pathOfOrganization(slug, page)}
              end={page === ''}
              className="flex min-h-11 items-center border-b-2 border-transparent px-3 font-medium text-ink-soft hover:text-ink aria-[current]:border-b-accent aria-[current]:text-ink"
            >
              {label}
            </NavLink>
          ))}
        </nav>
      </div>
      <Outlet />
    </>
  )
}
