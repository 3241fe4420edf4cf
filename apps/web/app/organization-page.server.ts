import { may, type Role, rolesUpTo } from '@floorpass/api/contracts'
import { tryCall, type withApi } from '#app/api.server.ts'
import { roleName, roleOptions } from '#app/organization-roles.ts'

type PageArgs = Parameters<Parameters<typeof withApi>[0]>[0]

/** The organization that the address names, as its member sees it. 404 for anyone else. */
export async function loadOrganization({ api, page, params, text }: Pick<PageArgs, 'api' | 'page' | 'params' | 'text'>) {
  const { user, isReauthenticated } = await api.sessions.require()
  const { answer: organization } = await tryCall(api.organizations.getAlone({ organizationSlug: params.slug ?? '' }), page.locale)
  const { answer: member } = organization
    ? await tryCall(api.organizations.getActiveMember({ organizationId: organization.id }), page.locale)
    : { answer: null }
  if (!organization || !member) throw new Response('Not Found', { status: 404 })
  const role = member.role as Role
  return {
    user,
    isReauthenticated,
    role,
    organization: {
      id: organization.id,
      name: organization.name,
      slug: organization.slug,
      createdAt: organization.createdAt,
      role: roleName(role, text),
      isAccepted: member.acceptedAt !== null,
      /** The roles that the member may give. */
      givable: roleOptions(rolesUpTo(role), text),
      mayUpdate: may(role, 'organization', 'update'),
      mayDelete: may(role, 'organization', 'delete'),
      mayUseApiKeys: may(role, 'apiKey', 'read'),
      mayInvite: may(role, 'invitation', 'create'),
    },
  }
}
