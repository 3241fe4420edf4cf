import { router } from '../trpc.ts'
import { acceptMembership } from './accept-membership.ts'
import { addMember } from './add-member.ts'
import { acceptInvitation, rejectInvitation } from './answer-invitation.ts'
import { cancelInvitation } from './cancel-invitation.ts'
import { checkSlug } from './check-slug.ts'
import { createOrganization } from './create-organization.ts'
import { deleteOrganization } from './delete-organization.ts'
import { getActiveMember, getActiveMemberRole } from './get-active-member.ts'
import { getInvitation } from './get-invitation.ts'
import { getOrganization, getOrganizationWithoutMembers } from './get-organization.ts'
import { hasPermission } from './has-permission.ts'
import { inviteMember } from './invite-member.ts'
import { leaveOrganization } from './leave-organization.ts'
import { listInvitations, listUserInvitations } from './list-invitations.ts'
import { listMembers } from './list-members.ts'
import { listOrganizationActivity } from './list-organization-activity.ts'
import { listOrganizations } from './list-organizations.ts'
import { removeMember } from './remove-member.ts'
import { setActiveOrganization } from './set-active-organization.ts'
import { updateMemberRole } from './update-member-role.ts'
import { updateOrganization } from './update-organization.ts'

export const organizationsRouter = router({
  create: createOrganization,
  list: listOrganizations,
  get: getOrganization,
  getAlone: getOrganizationWithoutMembers,
  update: updateOrganization,
  delete: deleteOrganization,
  checkSlug,
  setActive: setActiveOrganization,
  addMember,
  acceptMembership,
  removeMember,
  updateMemberRole,
  leave: leaveOrganization,
  listMembers,
  getActiveMember,
  getActiveMemberRole,
  hasPermission,
  invite: inviteMember,
  acceptInvitation,
  rejectInvitation,
  cancelInvitation,
  getInvitation,
  listInvitations,
  listUserInvitations,
  listActivity: listOrganizationActivity,
})
