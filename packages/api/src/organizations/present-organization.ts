import type { Invitation, Member, Organization, User } from '@floorpass/db'

export const presentOrganization = (organization: Organization) => ({
  id: organization.id,
  name: organization.name,
  slug: organization.slug,
  logo: organization.logo,
  metadata: organization.metadata as Record<string, unknown> | null,
  createdAt: organization.createdAt,
})

export const presentMember = (member: Member) => ({
  id: member.id,
  organizationId: member.organizationId,
  userId: member.userId,
  role: member.role,
  acceptedAt: member.acceptedAt,
  createdAt: member.createdAt,
})

export const presentMemberWithUser = ({ user, ...member }: Member & { user: User }) => ({
  ...presentMember(member),
  user: { id: user.id, name: user.name, email: user.email, image: user.image },
})

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
