import type { Api, Deps, ErrorKey, ProviderId } from '@floorpass/api'
import * as contracts from '@floorpass/api/contracts'
import { providerIds } from '@floorpass/api/contracts'
import type { z } from 'zod'
import { bearerToken } from '../http/bearer.ts'
import { type BodyKind, readQuery } from '../http/read-input.ts'
import { toResponse } from '../http/respond.ts'
import { answerAuditFile } from './answer-audit-file.ts'
import { answerEventStream } from './answer-events.ts'
import { answerGetSession } from './answer-get-session.ts'
import { answerJwks } from './answer-jwks.ts'
import { answerPicture } from './answer-picture.ts'
import { answerVerify } from './answer-verify.ts'
import { followResetLink } from './follow-reset-link.ts'
import { followSocialCallback, followSocialStart } from './follow-social.ts'
import { followVerificationLink } from './follow-verification-link.ts'
import { startPasskeyRegistration, verifyPasskeyRegistration } from './passkey-registration.ts'

export type Route = {
  module: string
  method: 'GET' | 'POST'
  /** `{name}` stands for a part of letters, digits, dashes and underscores, which the input holds too. */
  path: string
  aliases: readonly string[]
  /** Documents and tests the access rule. The procedure enforces it. */
  access: Access
  summary: string
  input: z.ZodType | null
  answer: z.ZodType | null
  accepts: readonly BodyKind[]
  needs: ProviderId | 'any-provider' | 'passkeys' | null
  /** Not counted in `request:ip`: one caller asks on behalf of many users, from one address. */
  unlimited: boolean
  /** The only answer of a route that clients call but the service does not offer. */
  refuses: ErrorKey | null
  call: Call
}

/** `challenge`: a session, or a sign-in that waits for a code. `service`: the secret of another service. */
export type Access = 'public' | 'session' | 'challenge' | 'service' | 'administrator'

type Call = (api: Api, input: never, request: Request, deps: Deps) => Promise<unknown>

type Row = Omit<Route, 'module'>
type RouteOptions = Pick<Row, 'access' | 'summary' | 'call' | 'answer'> &
  Partial<Pick<Row, 'aliases' | 'input' | 'accepts' | 'needs' | 'unlimited' | 'refuses'>>

const get = (path: string, options: RouteOptions): Row => ({
  method: 'GET',
  path,
  aliases: [],
  input: null,
  accepts: [],
  needs: null,
  unlimited: options.access === 'service',
  refuses: null,
  ...options,
})
const post = (path: string, options: RouteOptions): Row => ({
  method: 'POST',
  path,
  aliases: [],
  input: null,
  accepts: ['json'],
  needs: null,
  unlimited: options.access === 'service',
  refuses: null,
  ...options,
})

/** The REST API in the order of the specification. Procedures validate `input` with their contracts. */
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
    post('/sign-up/passkey', {
      access: 'public',
      summary: 'Sign up without a password: mails a link that creates the first passkey',
      input: contracts.signUpPasskeyInput,
      answer: contracts.statusAnswer,
      needs: 'passkeys',
      accepts: ['json', 'form'],
      call: (api, body) => api.passkeys.signUp(body),
    }),
    get('/sign-in/social', {
      access: 'public',
      summary: 'Redirect to a social provider',
      input: contracts.startSocialInput.omit({ additionalParams: true }),
      answer: null,
      needs: 'any-provider',
      call: followSocialStart,
    }),
    post('/sign-in/social', {
      access: 'public',
      summary: 'Get the URL of a social provider',
      input: contracts.startSocialInput,
      answer: contracts.socialRedirectAnswer,
      needs: 'any-provider',
      call: (api, body) => api.signIn.startSocial(body),
    }),
    ...providerIds.map((provider) =>
      get(`/callback/${provider}`, {
        access: 'public',
        summary: `Finish a sign-in with ${provider}`,
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
      summary: 'Confirm your identity before a sensitive action',
      input: contracts.reauthenticateInput,
      answer: contracts.reauthenticateAnswer,
      call: (api, body) => api.signIn.reauthenticate(body),
    }),
    get('/reauthentication', {
      access: 'session',
      summary: 'Get the ways to reauthenticate, and until when the last one counts',
      input: contracts.getReauthenticationInput.unwrap(),
      answer: contracts.reauthenticationAnswer,
      call: (api, query) => api.signIn.getReauthentication(query),
    }),
  ],
  sessions: [
    get('/get-session', {
      access: 'public',
      summary: 'Get the current session and its user, or null',
      answer: contracts.currentSessionAnswer,
      unlimited: true,
      call: async (api) => toResponse(await answerGetSession(api)),
    }),
    get('/list-sessions', {
      access: 'session',
      summary: "List the caller's active sessions",
      answer: contracts.devicesAnswer,
      call: (api) => api.sessions.list(),
    }),
    post('/revoke-session', {
      access: 'session',
      summary: "Revoke one of the caller's sessions",
      input: contracts.revokeSessionInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.sessions.revoke(body),
    }),
    post('/revoke-sessions', {
      access: 'session',
      summary: "Revoke all of the caller's sessions",
      answer: contracts.statusAnswer,
      call: (api) => api.sessions.revokeAll(),
    }),
    post('/revoke-other-sessions', {
      access: 'session',
      summary: "Revoke all of the caller's sessions except this one",
      answer: contracts.statusAnswer,
      call: (api) => api.sessions.revokeOthers(),
    }),
    post('/name-session', {
      access: 'session',
      summary: "Give the device of one of the caller's sessions a nickname",
      input: contracts.nameSessionInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.sessions.name(body),
    }),
  ],
  passwords: [
    post('/forget-password', {
      aliases: ['/request-password-reset'],
      access: 'public',
      summary: 'Send a password reset email',
      input: contracts.requestPasswordResetInput,
      answer: contracts.requestResetAnswer,
      call: (api, body) => api.passwords.requestReset(body),
    }),
    get('/reset-password', {
      access: 'public',
      summary: 'Check an emailed reset token and redirect to the front end with it',
      input: contracts.resetLinkInput,
      answer: null,
      call: followResetLink,
    }),
    post('/reset-password', {
      access: 'public',
      summary: 'Set a new password with an emailed token',
      input: contracts.resetPasswordInput,
      answer: contracts.statusAnswer,
      // better-auth's client may send the token in the query.
      call: (api, body: Omit<z.input<typeof contracts.resetPasswordInput>, 'token'>, request) =>
        api.passwords.reset({ token: (readQuery(request).token ?? '') as string, ...body }),
    }),
    post('/change-password', {
      access: 'session',
      summary: 'Change the password',
      input: contracts.changePasswordInput,
      answer: contracts.changePasswordAnswer,
      call: (api, body) => api.passwords.change(body),
    }),
    post('/set-password', {
      access: 'session',
      summary: 'Set the first password of a social-only account',
      input: contracts.setPasswordInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.passwords.set(body),
    }),
  ],
  'email-address': [
    post('/verify-email', {
      access: 'public',
      summary: 'Verify an email address with an emailed token',
      input: contracts.verifyEmailInput,
      answer: contracts.verifyEmailAnswer,
      call: (api, body) => api.emailAddress.verify(body),
    }),
    get('/verify-email', {
      access: 'public',
      summary: 'Verify an email address from a program; redirects a browser to the confirmation page',
      input: contracts.verifyEmailInput,
      answer: contracts.verifyEmailAnswer,
      call: followVerificationLink,
    }),
    post('/send-verification-email', {
      access: 'public',
      summary: 'Send a new verification email',
      input: contracts.sendVerificationEmailInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.emailAddress.sendVerification(body),
    }),
    post('/change-email', {
      access: 'session',
      summary: 'Request an email change',
      input: contracts.changeEmailInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.emailAddress.change(body),
    }),
    post('/undo-email-change', {
      access: 'public',
      summary: 'Undo an email change with the link sent to the former address',
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
      summary: 'Delete the account; without password or token, send a confirmation email',
      input: contracts.deleteUserInput,
      answer: contracts.deleteUserAnswer,
      call: (api, body) => api.profile.delete(body),
    }),
    get('/export-data', {
      access: 'session',
      summary: "Export all of the caller's data",
      answer: contracts.exportAnswer,
      call: (api) => api.profile.exportData(),
    }),
    get('/list-activity', {
      access: 'session',
      summary: "List the caller's account activity, newest first",
      input: contracts.listActivityInput,
      answer: contracts.activityAnswer,
      call: (api, query) => api.profile.listActivity(query),
    }),
    post('/set-picture', {
      access: 'session',
      summary: 'Set the profile picture: a form with the file, or JSON',
      input: contracts.setPictureInput,
      answer: contracts.setPictureAnswer,
      accepts: ['json', 'multipart'],
      call: (api, body) => api.profile.setPicture(body),
    }),
    post('/take-provider-picture', {
      access: 'session',
      summary: 'Copy the picture of a linked account',
      input: contracts.takeProviderPictureInput,
      answer: contracts.setPictureAnswer,
      needs: 'any-provider',
      call: (api, body) => api.profile.takeProviderPicture(body),
    }),
    post('/remove-picture', {
      access: 'session',
      summary: 'Remove the profile picture',
      answer: contracts.statusAnswer,
      call: (api) => api.profile.removePicture(),
    }),
    get('/pictures/{name}.webp', {
      access: 'public',
      summary: 'Get a profile picture',
      input: contracts.getPictureInput,
      answer: contracts.webpAnswer,
      call: answerPicture,
    }),
    get('/get-security', {
      access: 'session',
      summary: 'Get the security level of the account and the recommended next step',
      answer: contracts.securityAnswer,
      call: (api) => api.profile.getSecurity(),
    }),
  ],
  'api-keys': [
    post('/api-key/create', {
      access: 'session',
      summary: 'Create an API key for a program',
      input: contracts.createApiKeyInput,
      answer: contracts.createdApiKeyAnswer,
      call: (api, body) => api.apiKeys.create(body),
    }),
    get('/api-key/list', {
      access: 'session',
      summary: "List the caller's API keys, or those of an organization",
      input: contracts.listApiKeysInput,
      answer: contracts.apiKeysAnswer,
      call: (api, query) => api.apiKeys.list(query),
    }),
    get('/api-key/get', {
      access: 'session',
      summary: 'Get an API key, without its secret',
      input: contracts.apiKeyInput,
      answer: contracts.apiKeyAnswer,
      call: (api, query) => api.apiKeys.get(query),
    }),
    post('/api-key/update', {
      access: 'session',
      summary: 'Change, disable or enable an API key',
      input: contracts.updateApiKeyInput,
      answer: contracts.apiKeyAnswer,
      call: (api, body) => api.apiKeys.update(body),
    }),
    post('/api-key/delete', {
      access: 'session',
      summary: 'Delete an API key',
      input: contracts.deleteApiKeyInput,
      answer: contracts.successAnswer,
      call: (api, body) => api.apiKeys.delete(body),
    }),
    post('/api-key/report', {
      access: 'public',
      summary: 'Report a leaked secret: deletes its key and tells the owner',
      input: contracts.reportApiKeyInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.apiKeys.report(body),
    }),
    post('/api-key/verify', {
      access: 'service',
      summary: 'Tell a service what an API key or a signed request may do now',
      input: contracts.verifyApiKeyInput,
      answer: contracts.verifiedApiKeyAnswer,
      call: (api, body) => api.verifyApiKey(body),
    }),
  ],
  protection: [
    get('/protection/get', {
      access: 'session',
      summary: 'Get the hold, the lock and the phrase of the account, and the recommended next step',
      answer: contracts.protectionAnswer,
      call: (api) => api.protection.get(),
    }),
    post('/protection/lock', {
      access: 'session',
      summary: 'Lock the account against sensitive changes. Answers the lock key once',
      input: contracts.lockAccountInput,
      answer: contracts.lockAnswer,
      needs: 'passkeys',
      call: (api, body) => api.protection.lock(body),
    }),
    post('/protection/request-unlock', {
      access: 'session',
      summary: 'Ask to unlock the account after the days that the user chose',
      answer: contracts.unlockAnswer,
      call: (api) => api.protection.requestUnlock(),
    }),
    post('/protection/cancel-unlock', {
      access: 'session',
      summary: 'Keep the account locked after a request to unlock it',
      answer: contracts.statusAnswer,
      call: (api) => api.protection.cancelUnlock(),
    }),
    post('/protection/unlock-with-key', {
      access: 'session',
      summary: 'Unlock the account at once with the lock key and a passkey',
      input: contracts.unlockWithKeyInput,
      answer: contracts.statusAnswer,
      needs: 'passkeys',
      call: (api, body) => api.protection.unlockWithKey(body),
    }),
    post('/protection/lift-hold', {
      access: 'session',
      summary: 'End holds on withdrawals early with an older passkey',
      input: contracts.liftHoldInput,
      answer: contracts.liftedHoldAnswer,
      needs: 'passkeys',
      call: (api, body) => api.protection.liftHold(body),
    }),
    post('/protection/set-phrase', {
      access: 'session',
      summary: 'Set or remove the phrase that emails to the user show',
      input: contracts.setPhraseInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.protection.setPhrase(body),
    }),
    post('/protection/undo-panic', {
      access: 'session',
      summary: 'End the lock and the hold of a panic link with an older passkey',
      input: contracts.undoPanicInput,
      answer: contracts.statusAnswer,
      needs: 'passkeys',
      call: (api, body) => api.protection.undoPanic(body),
    }),
    post('/panic', {
      access: 'public',
      summary: 'Stop everything with the link of a security email: sessions, API keys, withdrawals and changes',
      input: contracts.panicInput,
      answer: contracts.panicAnswer,
      call: (api, body) => api.protection.panic(body),
    }),
  ],
  'allow-list': [
    post('/allow-list/add', {
      access: 'session',
      summary: 'Add an address to which money may go after a cooling-off',
      input: contracts.addAllowListEntryInput,
      answer: contracts.allowListEntryAnswer,
      call: (api, body) => api.allowList.add(body),
    }),
    post('/allow-list/remove', {
      access: 'session',
      summary: 'Remove an address from the list',
      input: contracts.removeAllowListEntryInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.allowList.remove(body),
    }),
    get('/allow-list/list', {
      access: 'session',
      summary: "List the caller's addresses, and whether the list is on",
      answer: contracts.allowListEntriesAnswer,
      call: (api) => api.allowList.list(),
    }),
    post('/allow-list/set-enabled', {
      access: 'session',
      summary: 'Switch the list on at once, or off after a cooling-off',
      input: contracts.setAllowListInput,
      answer: contracts.allowListAnswer,
      call: (api, body) => api.allowList.setEnabled(body),
    }),
    post('/allow-list/check', {
      access: 'service',
      summary: "Tell a service whether a user's money may go to an address now",
      input: contracts.checkAllowListEntryInput,
      answer: contracts.checkedAllowListEntryAnswer,
      call: (api, body) => api.checkAllowListEntry(body),
    }),
  ],
  confirmations: [
    post('/confirmation/create', {
      access: 'session',
      summary: 'Ask the user to confirm a transaction, as the user or as another service',
      input: contracts.createConfirmationInput,
      answer: contracts.createdConfirmationAnswer,
      unlimited: true,
      call: (api, body, request) => {
        const isService = bearerToken(request.headers.get('authorization')) !== null
        return isService ? api.createConfirmationForUser(body) : api.confirmations.create(body)
      },
    }),
    get('/confirmation/get', {
      access: 'session',
      summary: 'Get a confirmation of this session, with what the page shows and with the receipt',
      input: contracts.confirmationInput,
      answer: contracts.confirmationAnswer,
      call: (api, query) => api.confirmations.get(query),
    }),
    post('/confirmation/approve', {
      access: 'session',
      summary: 'Approve a confirmation with a passkey or, where the rules allow it, a code',
      input: contracts.approveConfirmationInput,
      answer: contracts.receiptAnswer,
      call: (api, body) => api.confirmations.approve(body),
    }),
    post('/confirmation/reject', {
      access: 'session',
      summary: 'Reject a confirmation',
      input: contracts.confirmationInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.confirmations.reject(body),
    }),
    post('/confirmation/consume', {
      access: 'service',
      summary: 'Consume an approved confirmation, exactly once',
      input: contracts.consumeConfirmationInput,
      answer: contracts.consumedConfirmationAnswer,
      call: (api, body) => api.consumeConfirmation(body),
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
      summary: "List the caller's organizations",
      answer: contracts.organizationsAnswer,
      call: (api) => api.organizations.list(),
    }),
    get('/organization/get', {
      aliases: ['/organization/get-full-organization'],
      access: 'session',
      summary: 'Get an organization with its members, or null if none is given or active',
      input: contracts.getOrganizationInput,
      answer: contracts.fullOrganizationAnswer,
      call: (api, query) => api.organizations.get(query),
    }),
    get('/organization/get-organization', {
      access: 'session',
      summary: 'Get an organization without its members, or null if none is given or active',
      input: contracts.getOrganizationInput.omit({ membersLimit: true }),
      answer: contracts.organizationAnswer.nullable(),
      call: (api, query) => api.organizations.getAlone(query),
    }),
    post('/organization/update', {
      access: 'session',
      summary: 'Update an organization',
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
      summary: 'Add an existing user as a member',
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
      summary: 'Check whether a slug is available',
      input: contracts.checkSlugInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.organizations.checkSlug(body),
    }),
    post('/organization/set-active', {
      access: 'session',
      summary: "Set or clear the session's active organization",
      input: contracts.setActiveOrganizationInput,
      answer: contracts.fullOrganizationAnswer,
      call: (api, body) => api.organizations.setActive(body),
    }),
    post('/organization/accept-membership', {
      access: 'session',
      summary: 'Accept a membership that another member added',
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
      summary: 'List the members of an organization, sorted and filtered',
      input: contracts.listMembersInput,
      answer: contracts.membersAnswer,
      call: (api, query) => api.organizations.listMembers(query),
    }),
    get('/organization/get-active-member', {
      access: 'session',
      summary: "Get the caller's membership in the active organization",
      input: contracts.activeMemberInput,
      answer: contracts.fellowMemberAnswer,
      call: (api, query) => api.organizations.getActiveMember(query),
    }),
    get('/organization/get-active-member-role', {
      access: 'session',
      summary: "Get the caller's role or another member's",
      input: contracts.activeMemberRoleInput,
      answer: contracts.roleAnswer,
      call: (api, query) => api.organizations.getActiveMemberRole(query),
    }),
    post('/organization/has-permission', {
      access: 'session',
      summary: "Check permissions of the caller's role",
      input: contracts.hasPermissionInput,
      answer: contracts.permissionAnswer,
      call: (api, body) => api.organizations.hasPermission(body),
    }),
    post('/organization/invite-member', {
      access: 'session',
      summary: 'Invite a person by email',
      input: contracts.inviteMemberInput,
      answer: contracts.invitationAnswer,
      call: (api, body) => api.organizations.invite(body),
    }),
    post('/organization/accept-invitation', {
      access: 'session',
      summary: 'Accept an invitation',
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
      summary: 'Cancel an invitation',
      input: contracts.cancelInvitationInput,
      answer: contracts.invitationAnswer,
      call: (api, body) => api.organizations.cancelInvitation(body),
    }),
    get('/organization/get-invitation', {
      access: 'session',
      summary: 'Get an invitation as its recipient',
      input: contracts.getInvitationInput,
      answer: contracts.presentedInvitation,
      call: (api, query) => api.organizations.getInvitation(query),
    }),
    get('/organization/list-invitations', {
      access: 'session',
      summary: 'List the invitations of an organization',
      input: contracts.listInvitationsInput,
      answer: contracts.invitationsAnswer,
      call: (api, query) => api.organizations.listInvitations(query),
    }),
    get('/organization/list-user-invitations', {
      access: 'session',
      summary: "List the pending invitations to the caller's email address",
      answer: contracts.ownInvitationsAnswer,
      call: (api) => api.organizations.listUserInvitations(),
    }),
    get('/organization/list-activity', {
      access: 'session',
      summary: 'List what happened in an organization, as its owner or administrator, newest first',
      input: contracts.listOrganizationActivityInput,
      answer: contracts.organizationActivityAnswer,
      call: (api, query) => api.organizations.listActivity(query),
    }),
  ],
  'two-factor': [
    post('/two-factor/enable', {
      access: 'session',
      summary: 'Start two-factor setup: creates an authenticator secret and backup codes',
      input: contracts.enableTwoFactorInput,
      answer: contracts.enableTwoFactorAnswer,
      call: (api, body) => api.twoFactor.enable(body),
    }),
    post('/two-factor/disable', {
      access: 'session',
      summary: 'Turn off two-factor authentication',
      input: contracts.disableTwoFactorInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.twoFactor.disable(body),
    }),
    post('/two-factor/verify', {
      access: 'challenge',
      summary: 'Verify a code to complete a sign-in or two-factor setup',
      input: contracts.verifyTwoFactorInput,
      answer: contracts.verifyTwoFactorAnswer,
      call: (api, body) => api.twoFactor.verify(body),
    }),
    post('/two-factor/verify-totp', {
      access: 'challenge',
      summary: 'Verify an authenticator code to complete a sign-in or two-factor setup',
      input: contracts.verifyCodeInput,
      answer: contracts.verifyTwoFactorAnswer,
      call: (api, body: z.input<typeof contracts.verifyCodeInput>) => api.twoFactor.verify({ ...body, type: 'totp' }),
    }),
    post('/two-factor/verify-backup-code', {
      access: 'challenge',
      summary: 'Verify a backup code to complete a sign-in',
      input: contracts.verifyCodeInput,
      answer: contracts.verifyTwoFactorAnswer,
      call: (api, body: z.input<typeof contracts.verifyCodeInput>) => api.twoFactor.verify({ ...body, type: 'backup' }),
    }),
    post('/two-factor/generate-backup-codes', {
      access: 'session',
      summary: 'Replace all backup codes',
      input: contracts.generateBackupCodesInput,
      answer: contracts.backupCodesAnswer,
      call: (api, body) => api.twoFactor.generateBackupCodes(body),
    }),
    post('/two-factor/get-totp-uri', {
      access: 'session',
      summary: 'Get the authenticator URI of an unfinished two-factor setup',
      input: contracts.getTotpUriInput,
      answer: contracts.totpUriAnswer,
      call: (api, body) => api.twoFactor.getTotpUri(body),
    }),
    ...['/two-factor/send-otp', '/two-factor/verify-otp'].map((path) =>
      post(path, {
        access: 'public',
        summary: 'Codes by email: not supported',
        answer: contracts.statusAnswer,
        refuses: 'OTP_NOT_CONFIGURED',
        call: (api) => api.twoFactor.mailedCode(),
      }),
    ),
    post('/two-factor/view-backup-codes', {
      access: 'public',
      summary: 'View backup codes again: not supported',
      answer: contracts.statusAnswer,
      refuses: 'BACKUP_CODES_SHOWN_ONCE',
      call: (api) => api.twoFactor.viewBackupCodes(),
    }),
    get('/two-factor/list-trusted-devices', {
      access: 'session',
      summary: 'List the trusted devices, which sign in without a code',
      answer: contracts.trustedDevicesAnswer,
      call: (api) => api.twoFactor.listTrustedDevices(),
    }),
    post('/two-factor/revoke-trusted-device', {
      access: 'session',
      summary: 'Revoke a trusted device',
      input: contracts.revokeTrustedDeviceInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.twoFactor.revokeTrustedDevice(body),
    }),
  ],
  passkeys: [
    get('/passkey/generate-register-options', {
      access: 'session',
      summary: 'Start to add a passkey. With `context`, the token of an emailed link, no session is needed',
      input: contracts.registrationOptionsInput,
      answer: contracts.passkeyOptionsAnswer,
      needs: 'passkeys',
      call: startPasskeyRegistration,
    }),
    post('/passkey/verify-registration', {
      access: 'session',
      summary: 'Add a passkey. With `createSession`, it completes a sign-up by an emailed link',
      input: contracts.verifyRegistrationInput,
      answer: contracts.verifyRegistrationAnswer,
      needs: 'passkeys',
      call: verifyPasskeyRegistration,
    }),
    get('/passkey/generate-authenticate-options', {
      access: 'public',
      summary: 'Start to sign in or reauthenticate with a passkey. With `discoverable`, the person picks the account',
      input: contracts.authenticationOptionsInput,
      answer: contracts.passkeyOptionsAnswer,
      needs: 'passkeys',
      call: (api, query) => api.passkeys.startAuthentication(query),
    }),
    post('/passkey/verify-authentication', {
      access: 'public',
      summary: 'Sign in with a passkey, or complete a sign-in with it',
      input: contracts.signInPasskeyInput,
      answer: contracts.signInPasskeyAnswer,
      needs: 'passkeys',
      call: (api, body) => api.passkeys.signIn(body),
    }),
    get('/passkey/list-user-passkeys', {
      access: 'session',
      summary: "List the caller's passkeys",
      answer: contracts.passkeysAnswer,
      needs: 'passkeys',
      call: (api) => api.passkeys.list(),
    }),
    post('/passkey/update-passkey', {
      access: 'session',
      summary: 'Rename a passkey',
      input: contracts.renamePasskeyInput,
      answer: contracts.renamedPasskeyAnswer,
      needs: 'passkeys',
      call: (api, body) => api.passkeys.rename(body),
    }),
    post('/passkey/delete-passkey', {
      access: 'session',
      summary: 'Remove a passkey',
      input: contracts.removePasskeyInput,
      answer: contracts.statusAnswer,
      needs: 'passkeys',
      call: (api, body) => api.passkeys.remove(body),
    }),
  ],
  administration: [
    get('/admin/list-users', {
      access: 'administrator',
      summary: 'List the users, newest first, or search them',
      input: contracts.listUsersInput.unwrap(),
      answer: contracts.foundUsersAnswer,
      call: (api, query) => api.administration.listUsers(query),
    }),
    get('/admin/get-user', {
      access: 'administrator',
      summary: 'Get a user, with sign-in methods, second factor and organizations',
      input: contracts.getUserInput,
      answer: contracts.userDetailsAnswer,
      call: (api, query) => api.administration.getUser(query),
    }),
    post('/admin/ban-user', {
      access: 'administrator',
      summary: 'Suspend a user, and end their sessions',
      input: contracts.banUserInput,
      answer: contracts.bannedUserAnswer,
      call: (api, body) => api.administration.banUser(body),
    }),
    post('/admin/unban-user', {
      access: 'administrator',
      summary: 'End the suspension of a user. Needs two administrators',
      input: contracts.unbanUserInput,
      answer: contracts.bannedUserAnswer,
      call: (api, body) => api.administration.unbanUser(body),
    }),
    post('/admin/create-user', {
      access: 'administrator',
      summary: 'Create a user, who verifies the email with a link',
      input: contracts.createUserInput,
      answer: contracts.bannedUserAnswer,
      call: (api, body) => api.administration.createUser(body),
    }),
    post('/admin/update-user', {
      access: 'administrator',
      summary: 'Change the profile of a user',
      input: contracts.updateUserOfAdministratorInput,
      answer: contracts.administeredUserAnswer,
      call: (api, body) => api.administration.updateUser(body),
    }),
    post('/admin/set-role', {
      access: 'administrator',
      summary: 'Give a user a role of the service, or take it away. Needs two administrators',
      input: contracts.setRoleInput,
      answer: contracts.bannedUserAnswer,
      call: (api, body) => api.administration.setRole(body),
    }),
    post('/admin/set-user-password', {
      access: 'administrator',
      summary: 'Set the password of a user, and end their sessions',
      input: contracts.setUserPasswordInput,
      answer: contracts.statusAnswer,
      call: (api, body) => api.administration.setUserPassword(body),
    }),
    post('/admin/disable-two-factor', {
      access: 'administrator',
      summary: 'Turn off the second factor that a user has lost. Needs two administrators',
      input: contracts.actOnUserInput,
      answer: contracts.successAnswer,
      call: (api, body) => api.administration.disableTwoFactor(body),
    }),
    post('/admin/remove-user', {
      access: 'administrator',
      summary: 'Delete a user. Needs two administrators',
      input: contracts.actOnUserInput,
      answer: contracts.successAnswer,
      call: (api, body) => api.administration.removeUser(body),
    }),
    get('/admin/list-approvals', {
      access: 'administrator',
      summary: 'List the requests that wait for a second administrator, oldest first',
      input: contracts.listApprovalsInput.unwrap(),
      answer: contracts.approvalsAnswer,
      call: (api, query) => api.administration.listApprovals(query),
    }),
    post('/admin/reject-approval', {
      access: 'administrator',
      summary: 'Reject a request that waits for a second administrator, or withdraw it',
      input: contracts.rejectApprovalInput,
      answer: contracts.successAnswer,
      call: (api, body) => api.administration.rejectApproval(body),
    }),
    post('/admin/impersonate-user', {
      access: 'administrator',
      summary: 'Open the account of a user to read it, for at most 30 minutes',
      input: contracts.impersonateUserInput,
      answer: contracts.impersonationAnswer,
      call: (api, body) => api.administration.impersonateUser(body),
    }),
    post('/admin/stop-impersonating', {
      access: 'session',
      summary: 'End the impersonated session and return to the session of the administrator',
      answer: contracts.impersonationAnswer,
      call: (api) => api.administration.stopImpersonating(),
    }),
    post('/admin/list-user-sessions', {
      access: 'administrator',
      summary: 'List the live sessions of a user',
      input: contracts.userOfAdministratorInput,
      answer: contracts.userSessionsAnswer,
      call: (api, body) => api.administration.listUserSessions(body),
    }),
    post('/admin/revoke-user-session', {
      access: 'administrator',
      summary: 'End one session of a user, and the trust of its device',
      input: contracts.revokeUserSessionInput,
      answer: contracts.revokedSessionsAnswer,
      call: (api, body) => api.administration.revokeUserSession(body),
    }),
    post('/admin/revoke-user-sessions', {
      access: 'administrator',
      summary: 'End all sessions of a user, and the trust of their devices',
      input: contracts.userOfAdministratorInput,
      answer: contracts.revokedSessionsAnswer,
      call: (api, body) => api.administration.revokeUserSessions(body),
    }),
    post('/admin/has-permission', {
      access: 'session',
      summary: 'Check whether the role of the caller has permissions',
      input: contracts.administratorPermissionInput,
      answer: contracts.permissionAnswer,
      call: (api, body) => api.administration.hasPermission(body),
    }),
    get('/admin/list-audit-events', {
      access: 'administrator',
      summary: 'Read the audit log, newest first',
      input: contracts.listAuditEventsInput.unwrap(),
      answer: contracts.auditEventsAnswer,
      call: (api, query) => api.administration.listAuditEvents(query),
    }),
    get('/admin/audit-events.csv', {
      access: 'administrator',
      summary: 'Download the audit log as CSV, newest first',
      input: contracts.exportAuditEventsInput.unwrap(),
      answer: contracts.csvAnswer,
      call: answerAuditFile,
    }),
    get('/admin/list-organizations', {
      access: 'administrator',
      summary: 'List the organizations, newest first, or search them',
      input: contracts.findOrganizationsInput.unwrap(),
      answer: contracts.foundOrganizationsAnswer,
      call: (api, query) => api.administration.listOrganizations(query),
    }),
    get('/admin/get-organization', {
      access: 'administrator',
      summary: 'Get an organization with its members',
      input: contracts.getAnyOrganizationInput,
      answer: contracts.organizationDetailsAnswer,
      call: (api, query) => api.administration.getOrganization(query),
    }),
    post('/admin/suspend-organization', {
      access: 'administrator',
      summary: 'Suspend an organization: no role in it counts, and its API keys are refused',
      input: contracts.suspendOrganizationInput,
      answer: contracts.changedOrganizationAnswer,
      call: (api, body) => api.administration.suspendOrganization(body),
    }),
    post('/admin/restore-organization', {
      access: 'administrator',
      summary: 'End the suspension of an organization',
      input: contracts.suspendOrganizationInput,
      answer: contracts.changedOrganizationAnswer,
      call: (api, body) => api.administration.restoreOrganization(body),
    }),
    post('/admin/change-organization-owner', {
      access: 'administrator',
      summary: 'Make a member the only owner of an organization',
      input: contracts.changeOrganizationOwnerInput,
      answer: contracts.changedOrganizationAnswer,
      call: (api, body) => api.administration.changeOrganizationOwner(body),
    }),
    get('/admin/counts', {
      access: 'administrator',
      summary: 'Count users, organizations, sessions and what needs attention',
      answer: contracts.countsAnswer,
      call: (api) => api.administration.counts(),
    }),
    get('/admin/list-refused-mails', {
      access: 'administrator',
      summary: 'List the mails that were refused for good, oldest first',
      input: contracts.listRefusedMailsInput.unwrap(),
      answer: contracts.refusedMailsAnswer,
      call: (api, query) => api.administration.listRefusedMails(query),
    }),
    post('/admin/retry-refused-mail', {
      access: 'administrator',
      summary: 'Send a refused mail again',
      input: contracts.refusedMailInput,
      answer: contracts.successAnswer,
      call: (api, body) => api.administration.retryRefusedMail(body),
    }),
    post('/admin/drop-refused-mail', {
      access: 'administrator',
      summary: 'Delete a refused mail',
      input: contracts.refusedMailInput,
      answer: contracts.successAnswer,
      call: (api, body) => api.administration.dropRefusedMail(body),
    }),
    get('/admin/list-webhooks', {
      access: 'administrator',
      summary: 'List the webhooks and their state',
      answer: contracts.webhooksAnswer,
      call: (api) => api.administration.listWebhooks(),
    }),
    get('/admin/list-webhook-deliveries', {
      access: 'administrator',
      summary: 'List the newest deliveries of a webhook',
      input: contracts.listWebhookDeliveriesInput,
      answer: contracts.webhookDeliveriesAnswer,
      call: (api, query) => api.administration.listWebhookDeliveries(query),
    }),
    get('/admin/list-services', {
      access: 'administrator',
      summary: 'List the services with credentials, and when they used them',
      answer: contracts.servicesAnswer,
      call: (api) => api.administration.listServices(),
    }),
    get('/admin/list-settings', {
      access: 'administrator',
      summary: 'List the settings of the service, without secrets, and where each came from',
      answer: contracts.settingsAnswer,
      call: (api) => api.administration.listSettings(),
    }),
    get('/admin/list-user-api-keys', {
      access: 'administrator',
      summary: 'List the API keys of a user',
      input: contracts.listUserApiKeysInput,
      answer: contracts.userApiKeysAnswer,
      call: (api, query) => api.administration.listUserApiKeys(query),
    }),
    post('/admin/revoke-user-api-key', {
      access: 'administrator',
      summary: 'Delete an API key of a user',
      input: contracts.revokeUserApiKeyInput,
      answer: contracts.successAnswer,
      call: (api, body) => api.administration.revokeUserApiKey(body),
    }),
  ],
  access: [
    get('/verify', {
      access: 'session',
      summary: 'Tell a gateway who calls, in the x-auth headers; 401 or 403 if a requirement is not met',
      input: contracts.verifyInput,
      answer: contracts.emptyAnswer,
      unlimited: true,
      call: async (api, _query, request, deps) => toResponse(await answerVerify(api, request, deps)),
    }),
    get('/token', {
      access: 'session',
      summary: 'Get an access token for another service',
      input: contracts.getTokenInput,
      answer: contracts.accessTokenAnswer,
      call: (api, query) => api.access.getToken(query),
    }),
    get('/jwks', {
      access: 'public',
      summary: 'Get the public keys of access tokens',
      answer: contracts.jwksAnswer,
      unlimited: true,
      call: async (api) => toResponse(await answerJwks(api)),
    }),
    post('/introspect', {
      access: 'service',
      summary: 'Check a session or an access token for another service (RFC 7662)',
      input: contracts.introspectInput,
      answer: contracts.introspectAnswer,
      accepts: ['form', 'json'],
      call: (api, body) => api.introspect(body),
    }),
  ],
  events: [
    get('/events', {
      access: 'service',
      summary: 'Read the feed of changes after an event, or wait for the next one',
      input: contracts.listEventsInput,
      answer: contracts.eventPageAnswer,
      call: (api, query) => api.listEvents(query),
    }),
    get('/events/stream', {
      access: 'service',
      summary: 'Follow the feed of changes as Server-Sent Events',
      input: contracts.followEventsInput,
      answer: contracts.eventStreamAnswer,
      call: (api, _query, request) => answerEventStream(api, request),
    }),
  ],
}

export const routes: readonly Route[] = Object.entries(table).flatMap(([module, rows]) => rows.map((row) => ({ module, ...row })))

/** Every path of a route, aliases included. */
export const pathsOf = ({ path, aliases }: Route): string[] => [path, ...aliases].map((name) => `/auth${name}`)

export const activeRoutes = ({ providers, settings }: Pick<Deps, 'providers' | 'settings'>): readonly Route[] =>
  routes.filter(({ needs }) => {
    if (needs === null) return true
    if (needs === 'passkeys') return settings.passkeys !== null
    return needs === 'any-provider' ? providers.size > 0 : providers.has(needs)
  })
