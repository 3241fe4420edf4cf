import type { Api, ErrorKey, ProviderId } from '@floorpass/api'
import * as contracts from '@floorpass/api/contracts'
import { providerIds } from '@floorpass/api/contracts'
import type { z } from 'zod'
import type { BodyKind } from '../http/read-input.ts'
import { followResetLink } from './follow-reset-link.ts'
import { followSocialCallback, followSocialStart } from './follow-social.ts'
import { followVerificationLink } from './follow-verification-link.ts'

export type Route = {
  /** The table of the specification that it stands in. */
  module: string
  method: 'GET' | 'POST'
  /** Below /auth. */
  path: string
  /** Other paths of the same row: the names that better-auth's client calls. */
  aliases: readonly string[]
  /** Who gets past the procedure. The procedure decides; this is for the document and the tests that every row must pass. */
  access: Access
  summary: string
  input: z.ZodType | null
  /** Null when the answer is a redirect. */
  answer: z.ZodType | null
  accepts: readonly BodyKind[]
  /** What must be configured for the row to be there. */
  needs: ProviderId | 'any-provider' | null
  /** The one answer of a row that is there by name only: a client calls it, and the service does not offer it. */
  refuses: ErrorKey | null
  call: Call
}

/** `challenge`: the signed-in, and a browser whose sign-in waits for a code. */
export type Access = 'public' | 'session' | 'challenge'

type Call = (api: Api, input: never, request: Request) => Promise<unknown>

type Row = Omit<Route, 'module'>
type Given = Pick<Row, 'access' | 'summary' | 'call' | 'answer'> &
  Partial<Pick<Row, 'aliases' | 'input' | 'accepts' | 'needs' | 'refuses'>>

const get = (path: string, row: Given): Row => ({
  method: 'GET',
  path,
  aliases: [],
  input: null,
  accepts: [],
  needs: null,
  refuses: null,
  ...row,
})
const post = (path: string, row: Given): Row => ({
  method: 'POST',
  path,
  aliases: [],
  input: null,
  accepts: ['json'],
  needs: null,
  refuses: null,
  ...row,
})

/** The REST surface: one row a route, in the order of the specification. `input` goes to the procedure as it came; its contract judges. */
const table: Record<string, readonly Row[]> = {
  'sign-in': [
    post('/sign-in/email', {
      access: 'public',
      summary: 'Sign in with email and password',
      input: contracts.signInEmailInput,
      answer: contracts.signInAnswer,
      accepts: ['json', 'form'],
      call: (api, body) => api.signIn.email(body),
    }),
    post('/sign-up/email', {
      access: 'public',
      summary: 'Sign up with email and password',
      input: contracts.signUpEmailInput,
      answer: contracts.signUpAnswer,
      accepts: ['json', 'form'],
      call: (api, body) => api.signIn.signUp(body),
    }),
    get('/sign-in/social', {
      access: 'public',
      summary: 'Redirect to a social provider',
      input: contracts.startSocialInput,
      answer: null,
      needs: 'any-provider',
      call: followSocialStart,
    }),
    post('/sign-in/social', {
      access: 'public',
      summary: 'The URL of a social provider, for a client that navigates itself',
      input: contracts.startSocialInput,
      answer: contracts.socialRedirectAnswer,
      needs: 'any-provider',
      call: (api, body) => api.signIn.startSocial(body),
    }),
    ...providerIds.map((provider) =>
      get(`/callback/${provider}`, {
        access: 'public',
        summary: `The way back from ${provider}`,
        input: contracts.finishSocialInput.omit({ provider: true }),
        answer: null,
        needs: provider,
        call: (api, query: object) => followSocialCallback(api, { ...query, provider }),
      }),
    ),
    post('/sign-out', {
      access: 'public',
      summary: 'Sign out',
      answer: contracts.successAnswer,
      call: (api) => api.signIn.signOut(),
    }),
    post('/reauthenticate', {
      access: 'session',
      summary: 'Prove again who you are, before a sensitive act',
      input: contracts.reauthenticateInput,
      answer: contracts.reauthenticateAnswer,
      call: (api, body) => api.signIn.reauthenticate(body),
    }),
    get('/reauthentication', {
      access: 'session',
      summary: 'Until when sensitive acts need no further proof, and the ways to prove who you are',
      answer: contracts.reauthenticationAnswer,
      call: (api) => api.signIn.getReauthentication(),
    }),
  ],
  sessions: [
    get('/get-session', {
      access: 'public',
      summary: 'The current session and its user, or null',
      answer: contracts.currentSessionAnswer,
      call: (api) => api.sessions.get(),
    }),
    get('/list-sessions', {
      access: 'session',
      summary: 'All live sessions of the caller, as devices',
      answer: contracts.devicesAnswer,
      call: (api) => api.sessions.list(),
    }),
    post('/revoke-session', {
      access: 'session',
      summary: 'End one session of the caller',
      input: contracts.revokeSessionInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.sessions.revoke(body),
    }),
    post('/revoke-sessions', {
      access: 'session',
      summary: 'End all sessions of the caller',
      answer: contracts.statusAnswer,
      call: (api) => api.sessions.revokeAll(),
    }),
    post('/revoke-other-sessions', {
      access: 'session',
      summary: 'End all sessions of the caller but this one',
      answer: contracts.statusAnswer,
      call: (api) => api.sessions.revokeOthers(),
    }),
  ],
  passwords: [
    post('/forget-password', {
      aliases: ['/request-password-reset'],
      access: 'public',
      summary: 'Mail a link that sets a new password',
      input: contracts.requestPasswordResetInput,
      answer: contracts.requestResetAnswer,
      call: (api, body) => api.passwords.requestReset(body),
    }),
    get('/reset-password', {
      access: 'public',
      summary: 'The mailed link of a front end elsewhere: checks the token and redirects there with it',
      input: contracts.resetLinkInput,
      answer: null,
      call: followResetLink,
    }),
    post('/reset-password', {
      access: 'public',
      summary: 'Set a new password with a mailed token',
      input: contracts.resetPasswordInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.passwords.reset(body),
    }),
    post('/change-password', {
      access: 'session',
      summary: 'Replace a known password',
      input: contracts.changePasswordInput,
      answer: contracts.changePasswordAnswer,
      call: (api, body) => api.passwords.change(body),
    }),
    post('/set-password', {
      access: 'session',
      summary: 'Give a first password to a social-only account',
      input: contracts.setPasswordInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.passwords.set(body),
    }),
  ],
  'email-address': [
    post('/verify-email', {
      access: 'public',
      summary: 'Prove an address with a mailed token',
      input: contracts.verifyEmailInput,
      answer: contracts.verifyEmailAnswer,
      call: (api, body) => api.emailAddress.verify(body),
    }),
    get('/verify-email', {
      access: 'public',
      summary: 'The same for a program; a browser is sent to the page with the button',
      input: contracts.verifyEmailInput,
      answer: contracts.verifyEmailAnswer,
      call: followVerificationLink,
    }),
    post('/send-verification-email', {
      access: 'public',
      summary: 'Mail a new verification link',
      input: contracts.sendVerificationEmailInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.emailAddress.sendVerification(body),
    }),
    post('/change-email', {
      access: 'session',
      summary: 'Ask for another address',
      input: contracts.changeEmailInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.emailAddress.change(body),
    }),
    post('/undo-email-change', {
      access: 'public',
      summary: 'Take an account back with the link that its former address got',
      input: contracts.undoEmailChangeInput,
      answer: contracts.undoEmailChangeAnswer,
      call: (api, body) => api.emailAddress.undoChange(body),
    }),
  ],
  profile: [
    post('/update-user', {
      access: 'session',
      summary: 'Change name, image, trading switch, risk level or language',
      input: contracts.updateUserInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.profile.update(body),
    }),
    post('/delete-user', {
      access: 'session',
      summary: 'Delete the account; without password or token, mail a link that does',
      input: contracts.deleteUserInput,
      answer: contracts.deleteUserAnswer,
      call: (api, body) => api.profile.delete(body),
    }),
    get('/export-data', {
      access: 'session',
      summary: 'Everything held on the caller',
      answer: contracts.exportAnswer,
      call: (api) => api.profile.exportData(),
    }),
    get('/list-activity', {
      access: 'session',
      summary: "What happened on the caller's account, newest first",
      input: contracts.listActivityInput,
      answer: contracts.activityAnswer,
      call: (api, query) => api.profile.listActivity(query),
    }),
    get('/get-security', {
      access: 'session',
      summary: "How well the caller's account is protected, and the next step",
      answer: contracts.securityAnswer,
      call: (api) => api.profile.getSecurity(),
    }),
  ],
  'linked-accounts': [
    post('/link-social-account', {
      aliases: ['/link-social'],
      access: 'session',
      summary: 'Link a social account',
      input: contracts.linkSocialAccountInput,
      answer: contracts.socialRedirectAnswer,
      needs: 'any-provider',
      call: (api, body) => api.linkedAccounts.link(body),
    }),
    post('/unlink-account', {
      access: 'session',
      summary: 'Unlink a linked account',
      input: contracts.unlinkAccountInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.linkedAccounts.unlink(body),
    }),
    get('/list-user-accounts', {
      aliases: ['/list-accounts'],
      access: 'session',
      summary: 'List linked accounts',
      answer: contracts.accountsAnswer,
      call: (api) => api.linkedAccounts.list(),
    }),
  ],
  organizations: [
    post('/organization/create', {
      access: 'session',
      summary: 'Create an organization',
      input: contracts.createOrganizationInput,
      answer: contracts.createdOrganizationAnswer,
      call: (api, body) => api.organizations.create(body),
    }),
    get('/organization/list', {
      access: 'session',
      summary: "The caller's organizations",
      answer: contracts.organizationsAnswer,
      call: (api) => api.organizations.list(),
    }),
    get('/organization/get', {
      aliases: ['/organization/get-full-organization', '/organization/get-organization'],
      access: 'session',
      summary: 'One organization with its members; null when none is named or active',
      input: contracts.getOrganizationInput,
      answer: contracts.fullOrganizationAnswer,
      call: (api, query) => api.organizations.get(query),
    }),
    post('/organization/update', {
      access: 'session',
      summary: 'Change an organization',
      input: contracts.updateOrganizationInput,
      answer: contracts.organizationAnswer,
      call: (api, body) => api.organizations.update(body),
    }),
    post('/organization/delete', {
      access: 'session',
      summary: 'Delete an organization',
      input: contracts.deleteOrganizationInput,
      answer: contracts.organizationAnswer,
      call: (api, body) => api.organizations.delete(body),
    }),
    post('/organization/member/add', {
      aliases: ['/organization/add-member'],
      access: 'session',
      summary: 'Make a known user a member',
      input: contracts.addMemberInput,
      answer: contracts.memberAnswer,
      call: (api, body) => api.organizations.addMember(body),
    }),
    post('/organization/member/remove', {
      aliases: ['/organization/remove-member'],
      access: 'session',
      summary: 'Remove a member',
      input: contracts.removeMemberInput,
      answer: contracts.removedMemberAnswer,
      call: (api, body) => api.organizations.removeMember(body),
    }),
    post('/organization/member/update-role', {
      aliases: ['/organization/update-member-role'],
      access: 'session',
      summary: "Change a member's role",
      input: contracts.updateMemberRoleInput,
      answer: contracts.memberAnswer,
      call: (api, body) => api.organizations.updateMemberRole(body),
    }),
    post('/organization/check-slug', {
      access: 'session',
      summary: 'Whether a slug is free',
      input: contracts.checkSlugInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.organizations.checkSlug(body),
    }),
    post('/organization/set-active', {
      access: 'session',
      summary: "Choose the session's organization, or none",
      input: contracts.setActiveOrganizationInput,
      answer: contracts.fullOrganizationAnswer,
      call: (api, body) => api.organizations.setActive(body),
    }),
    post('/organization/accept-membership', {
      access: 'session',
      summary: 'Accept a membership that another member gave you',
      input: contracts.acceptMembershipInput,
      answer: contracts.memberAnswer,
      call: (api, body) => api.organizations.acceptMembership(body),
    }),
    post('/organization/leave', {
      access: 'session',
      summary: 'Leave an organization',
      input: contracts.leaveOrganizationInput,
      answer: contracts.fellowMemberAnswer,
      call: (api, body) => api.organizations.leave(body),
    }),
    get('/organization/list-members', {
      access: 'session',
      summary: 'Members of an organization, sorted and filtered',
      input: contracts.listMembersInput,
      answer: contracts.membersAnswer,
      call: (api, query) => api.organizations.listMembers(query),
    }),
    get('/organization/get-active-member', {
      access: 'session',
      summary: "The caller's own membership",
      input: contracts.activeMemberInput,
      answer: contracts.fellowMemberAnswer,
      call: (api, query) => api.organizations.getActiveMember(query),
    }),
    get('/organization/get-active-member-role', {
      access: 'session',
      summary: "The caller's role, or a fellow member's",
      input: contracts.activeMemberRoleInput,
      answer: contracts.roleAnswer,
      call: (api, query) => api.organizations.getActiveMemberRole(query),
    }),
    post('/organization/has-permission', {
      access: 'session',
      summary: "Whether the caller's role allows something",
      input: contracts.hasPermissionInput,
      answer: contracts.permissionAnswer,
      call: (api, body) => api.organizations.hasPermission(body),
    }),
    post('/organization/invite-member', {
      access: 'session',
      summary: 'Mail an invitation',
      input: contracts.inviteMemberInput,
      answer: contracts.invitationAnswer,
      call: (api, body) => api.organizations.invite(body),
    }),
    post('/organization/accept-invitation', {
      access: 'session',
      summary: 'Join with an invitation',
      input: contracts.answerInvitationInput,
      answer: contracts.acceptedInvitationAnswer,
      call: (api, body) => api.organizations.acceptInvitation(body),
    }),
    post('/organization/reject-invitation', {
      access: 'session',
      summary: 'Decline an invitation',
      input: contracts.answerInvitationInput,
      answer: contracts.rejectedInvitationAnswer,
      call: (api, body) => api.organizations.rejectInvitation(body),
    }),
    post('/organization/cancel-invitation', {
      access: 'session',
      summary: 'Take an invitation back',
      input: contracts.cancelInvitationInput,
      answer: contracts.invitationAnswer,
      call: (api, body) => api.organizations.cancelInvitation(body),
    }),
    get('/organization/get-invitation', {
      access: 'session',
      summary: 'An invitation, for the person it was sent to',
      input: contracts.getInvitationInput,
      answer: contracts.presentedInvitation,
      call: (api, query) => api.organizations.getInvitation(query),
    }),
    get('/organization/list-invitations', {
      access: 'session',
      summary: "An organization's invitations",
      input: contracts.listInvitationsInput,
      answer: contracts.invitationsAnswer,
      call: (api, query) => api.organizations.listInvitations(query),
    }),
    get('/organization/list-user-invitations', {
      access: 'session',
      summary: "The open invitations to the caller's address",
      answer: contracts.ownInvitationsAnswer,
      call: (api) => api.organizations.listUserInvitations(),
    }),
  ],
  'two-factor': [
    post('/two-factor/enable', {
      access: 'session',
      summary: 'Prepare a second factor: a secret for an authenticator, and backup codes',
      input: contracts.enableTwoFactorInput,
      answer: contracts.enableTwoFactorAnswer,
      call: (api, body) => api.twoFactor.enable(body),
    }),
    post('/two-factor/disable', {
      access: 'session',
      summary: 'Switch the second factor off',
      input: contracts.disableTwoFactorInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.twoFactor.disable(body),
    }),
    post('/two-factor/verify', {
      access: 'challenge',
      summary: 'End a sign-in with a code, or finish the set-up with the first one',
      input: contracts.verifyTwoFactorInput,
      answer: contracts.verifyTwoFactorAnswer,
      call: (api, body) => api.twoFactor.verify(body),
    }),
    post('/two-factor/verify-totp', {
      access: 'challenge',
      summary: 'The same, for a code of an authenticator only',
      input: contracts.verifyCodeInput,
      answer: contracts.verifyTwoFactorAnswer,
      call: (api, body: z.input<typeof contracts.verifyCodeInput>) => api.twoFactor.verify({ ...body, type: 'totp' }),
    }),
    post('/two-factor/verify-backup-code', {
      access: 'challenge',
      summary: 'The same, for a backup code only',
      input: contracts.verifyCodeInput,
      answer: contracts.verifyTwoFactorAnswer,
      call: (api, body: z.input<typeof contracts.verifyCodeInput>) => api.twoFactor.verify({ ...body, type: 'backup' }),
    }),
    post('/two-factor/generate-backup-codes', {
      access: 'session',
      summary: 'New backup codes; the former ones are void',
      input: contracts.generateBackupCodesInput,
      answer: contracts.backupCodesAnswer,
      call: (api, body) => api.twoFactor.generateBackupCodes(body),
    }),
    post('/two-factor/get-totp-uri', {
      access: 'session',
      summary: 'The URI of a set-up that is not finished',
      input: contracts.getTotpUriInput,
      answer: contracts.totpUriAnswer,
      call: (api, body) => api.twoFactor.getTotpUri(body),
    }),
    ...['/two-factor/send-otp', '/two-factor/verify-otp'].map((path) =>
      post(path, {
        access: 'public',
        summary: 'Codes by mail: not offered',
        answer: contracts.statusAnswer,
        refuses: 'OTP_NOT_CONFIGURED',
        call: (api) => api.twoFactor.mailedCode(),
      }),
    ),
    post('/two-factor/view-backup-codes', {
      access: 'public',
      summary: 'Backup codes a second time: not offered',
      answer: contracts.statusAnswer,
      refuses: 'BACKUP_CODES_SHOWN_ONCE',
      call: (api) => api.twoFactor.viewBackupCodes(),
    }),
    get('/two-factor/list-trusted-devices', {
      access: 'session',
      summary: 'The browsers that sign in without a code',
      answer: contracts.trustedDevicesAnswer,
      call: (api) => api.twoFactor.listTrustedDevices(),
    }),
    post('/two-factor/revoke-trusted-device', {
      access: 'session',
      summary: 'Ask a browser for a code again',
      input: contracts.revokeTrustedDeviceInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.twoFactor.revokeTrustedDevice(body),
    }),
  ],
}

export const routes: readonly Route[] = Object.entries(table).flatMap(([module, rows]) => rows.map((row) => ({ module, ...row })))

/** The rows of a service with these providers: what is not configured is not there. */
export const activeRoutes = (providers: ReadonlySet<ProviderId>): readonly Route[] =>
  routes.filter(({ needs }) => needs === null || (needs === 'any-provider' ? providers.size > 0 : providers.has(needs)))
