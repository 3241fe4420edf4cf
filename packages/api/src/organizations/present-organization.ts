import type { Invitation, Member, Organization, User } from '@floorpass/db'

/** An organization as every answer shows it. */
export const presentOrganization = (organization: Organization) => ({
  id: organization.id,
  name: organization.name,
  slug: organization.slug,
  logo: organization.logo,
  // The contract lets objects in, nothing else.
  metadata: organization.metadata as Record<string, unknown> | null,
  createdAt: organization.createdAt,
})

/** A membership as every answer shows it. */
export const presentMember = (member: Member) => ({
  id: member.id,
  organizationId: member.organizationId,
  userId: member.userId,
  role: member.role,
  acceptedAt: member.acceptedAt,
  createdAt: member.createdAt,
})

/** A membership with what its fellow members may see of the person. */
export const presentMemberWithUser = ({ user, ...member }: Member & { user: User }) => ({
  ...presentMember(member),
  user: { id: user.id, name: user.name, email: user.email, image: user.image },
})

/** An invitation as every answer shows it. The secret of its mail is in none. */
export const presentInvitation = (invitation: Invitation) => ({
  id: invitation.id,
  organizationId: invitation.organizationId,
  email: invitation.email,
  role: invitation.role,
  status: invitation.status,
  inviterId: invitation.inviterId,
  createdAt: invitation.createdAt,
  expiresAt: invitation.expiresAt,
})
