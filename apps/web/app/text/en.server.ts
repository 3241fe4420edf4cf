import {
  type AuditAction,
  type ErrorKey,
  type FieldProblem,
  fieldProblems,
  policy,
  type SocialRefusalCode,
  type UndoEffects,
} from '@floorpass/api'

type Refusal = SocialRefusalCode | 'too_many_requests' | 'service_unavailable'

/** What only loaders and actions say, in one language: why something did not work, and what happened on an account. */
export type ServerText = {
  /** Every failure of the catalogue: the wire's own sentences are written for programs. */
  errors: Record<ErrorKey, string>
  /** What is said beside the box that a failure belongs to. */
  boxes: Record<'INVALID_PASSWORD' | 'INVALID_CODE' | 'INVALID_BACKUP_CODE' | 'EMAIL_IS_THE_SAME' | 'SLUG_TAKEN', string>
  fields: Record<FieldProblem | 'other', string>
  /** What happened on an account, for the person whose account it is. */
  activity: Record<AuditAction, string>
  /** The same where it did not succeed. */
  activityFailed: Partial<Record<AuditAction, string>>
  /** What a page says of the deed that led to it, by the name in its address. */
  notices: typeof notices
  passwordAccepted: string
  formUnreadable: string
  tryAgainIn: (amount: number, unit: 'second' | 'minute' | 'hour') => string
  organizations: (slugs: string) => string
  /** What undoing a change of email does, a sentence each: before it is done and after. */
  undoWill: (effects: UndoEffects, providerName: (id: string) => string) => string[]
  undoDid: (effects: UndoEffects, providerName: (id: string) => string) => string[]
  /** Why a way through a provider ended without success, and what to do. */
  socialRefusals: Record<Refusal | 'unknown', [happened: string, todo: string]>
}

/** The sentences that apply. */
export const sentences = (items: (string | false)[]): string[] => items.filter((item) => item !== false)

const notices = {
  landing: {
    'account-deleted':
      'Your account is deleted, and everything of yours with it. Thank you for the time you were here. Farewell.',
  },
  login: {
    verified: 'Your address is confirmed. You can sign in now.',
    'password-cleared':
      'Your address is confirmed. Someone else had signed up with it too, so we emailed you a link to choose a password.',
    'address-changed': 'Your new address is confirmed. Sign in with it from now on.',
    'password-reset': 'Your new password is set, and every device is signed out. Sign in with it now.',
    'confirm-change': 'Sign in to the account that asked to use this address. Then open the link in the email again.',
    'signed-out': 'You are signed out.',
    'signed-out-everywhere': 'You are signed out on every device.',
  },
  accounts: {
    linked: 'It is linked. From now on you can sign in with it too.',
  },
  deleteAccount: {
    confirmed: "You've confirmed it's you. Now open the link in the email again.",
  },
  email: {
    changed: 'Your address is changed. We have told the old one, with a link that undoes the change for a few days.',
  },
  organization: {
    created: 'The organization is created, and you own it.',
    joined: 'You are a member now.',
    update: 'The organization is saved.',
  },
  organizations: {
    left: 'You have left the organization.',
    accepted: 'You have accepted the membership.',
    deleted: 'The organization is deleted, with its memberships and invitations.',
    declined: 'You have declined the invitation.',
  },
  profile: {
    language: 'Your language is saved.',
  },
}

export const en: ServerText = {
  errors: {
    VALIDATION_ERROR: 'Some fields need another look.',
    INVALID_EMAIL_OR_PASSWORD: 'The email address and password do not match an account. Check both and try again.',
    EMAIL_NOT_VERIFIED: 'Your password is right, but this address is not confirmed yet. Open the link in the mail we sent you.',
    EMAIL_IS_THE_SAME: 'Nothing was changed: this is the address you have already.',
    PASSWORD_TOO_SHORT: 'Choose a longer password.',
    PASSWORD_TOO_LONG: 'Choose a shorter password.',
    PASSWORD_TOO_COMMON: 'This password is too easy to guess. Choose another one.',
    PASSWORD_ALREADY_SET: 'Your account has a password already. To choose another one, enter it here together with the new one.',
    INVALID_PASSWORD: 'Nothing was changed: the password is not right.',
    CREDENTIAL_ACCOUNT_NOT_FOUND: 'Your account has no password, so there is none to confirm.',
    SESSION_NOT_FRESH: "Before you do this, confirm it's you.",
    REAUTHENTICATION_METHOD_NOT_AVAILABLE: "You can't confirm it's you in this way. Choose another way.",
    EMAIL_RECENTLY_CHANGED:
      'Nothing was changed: your email changed in the last 7 days, and that change can still be undone. Try again when the 7 days are over.',
    PROVIDER_NOT_FOUND: 'Nothing was changed: signing in through this provider is switched off here. Choose another one.',
    PROVIDER_UNAVAILABLE: 'The provider does not answer right now. Nothing was changed; try again in a moment.',
    ACCOUNT_NOT_FOUND: 'Nothing was changed: this account is not linked any more. Load the page again to see which are.',
    FAILED_TO_UNLINK_LAST_ACCOUNT:
      'Nothing was unlinked: you could not sign in any more. Set a password or link another account first, then come back.',
    INVALID_TOKEN: 'This link does not work: it was used already, a newer one replaced it, or only a part of it was copied.',
    EMAIL_TAKEN:
      'Nothing was changed: there is a newer account with this address. Sign in to that one, delete it in the settings, then open this link again: it still works.',
    TOKEN_EXPIRED: 'This link is too old.',
    INVALID_USER: 'This link is for another account than the one you are signed in to. Sign out, then confirm the address.',
    YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER:
      'Nothing was changed: you are the only owner of an organization. Make another member its owner or delete it, then come back.',
    YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER:
      'Nothing was changed: an organization needs an owner. Make another member its owner first.',
    MEMBER_HAS_NOT_ACCEPTED:
      'Nothing was changed: only a member who accepted the membership can be an owner. Ask them to accept it in their settings, or invite a new person as an owner.',
    ORGANIZATION_NOT_FOUND: 'There is no such organization, or you are no member of it.',
    ORGANIZATION_ALREADY_EXISTS: 'This short name is taken. Choose another one.',
    ORGANIZATION_SLUG_ALREADY_TAKEN: 'Nothing was changed: this short name is taken. Choose another one.',
    YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS:
      'You’ve reached the limit of organizations. Leave or delete one, then come back.',
    ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: 'This organization is full. Ask one of its owners to make room, then come back.',
    MEMBER_NOT_FOUND: 'Nothing was changed: this person is no longer a member.',
    USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'This person is a member already.',
    USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: 'This address has an open invitation already. You can send it again below.',
    INVITATION_LIMIT_REACHED: 'Too many invitations are open. Take some back, or wait until they are answered.',
    INVITATION_NOT_FOUND:
      'This invitation is no longer open: it was answered or taken back, it is too old, or a newer mail replaced it. Ask for a new one.',
    YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION:
      'This invitation is for another address. Sign in with the address that the mail was sent to.',
    EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION: 'Confirm your email address first, then come back.',
    EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION: 'Confirm your email address first, then come back.',
    YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION: 'Nothing was changed: your role does not allow it any more.',
    YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION: 'Nothing was deleted: only owners can delete an organization.',
    YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER: 'Nothing was changed: your role does not allow it any more.',
    YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER: 'No one was removed: your role no longer allows it.',
    YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION: 'No one was invited: your role no longer allows it.',
    YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE: 'No one was invited: this role is above yours.',
    YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION: 'Nothing was changed: your role does not allow it any more.',
    INVALID_CODE: 'That code is not right, or it was used already.',
    INVALID_BACKUP_CODE: 'That backup code is not right, or it was used already.',
    ACCOUNT_TEMPORARILY_LOCKED:
      'Too many wrong codes were entered for this account, here or elsewhere. No code is accepted for now.',
    PASSWORD_LOCKED:
      'Too many wrong passwords were entered here or on your other devices. Sign out and in again, or choose a new password by mail; then try again.',
    TOTP_NOT_ENABLED: 'There is no second factor to enter a code for. Set it up again.',
    TOTP_ALREADY_ENABLED: 'Nothing was changed: two-factor authentication is on already. Load the page again to see it.',
    TWO_FACTOR_NOT_ENABLED: 'Nothing was changed: two-factor authentication is off already.',
    TOO_MANY_REQUESTS: 'Too many tries in a short time.',
    SERVICE_BUSY: 'The service is very busy and did not get to your request. Nothing was changed; try again in a moment.',
    SERVICE_UNAVAILABLE: 'The service cannot be reached right now. Nothing was changed; try again in a moment.',
    BAD_REQUEST: 'This could not be read. Go back and send it again.',
    UNSUPPORTED_MEDIA_TYPE: 'This could not be read. Go back and send it again.',
    PAYLOAD_TOO_LARGE: 'That is too much at once. Make it shorter, then send it again.',
    NOT_FOUND: 'There is nothing at this address.',
    METHOD_NOT_ALLOWED: 'This address does not answer that.',
    UNAUTHORIZED: 'You are signed out. Sign in, then try again.',
    INVALID_ORIGIN: 'This was sent from a page that is not ours, so nothing was done. Open our page and send it from there.',
    MISSING_OR_NULL_ORIGIN:
      'Your browser did not say which page this came from, so nothing was done. Reload the page and try again.',
    INVALID_CALLBACK_URL: 'The address to go on to is not one of ours. Start again from our start page.',
    INVALID_ERROR_CALLBACK_URL: 'The address to go on to is not one of ours. Start again from our start page.',
    INVALID_NEW_USER_CALLBACK_URL: 'The address to go on to is not one of ours. Start again from our start page.',
    INVALID_REDIRECT_URL: 'The address to go on to is not one of ours. Start again from our start page.',
    ID_TOKEN_NOT_SUPPORTED: 'This way to sign in is not offered here. Choose another one.',
    EMAIL_ALREADY_VERIFIED: 'This address is confirmed already.',
    EMAIL_MISMATCH: 'This is not the address of your account.',
    USER_NOT_FOUND: 'There is no such account any more.',
    NO_ACTIVE_ORGANIZATION: 'No organization is chosen. Choose one first.',
    ROLE_NOT_FOUND: 'There is no such role. Choose one from the list.',
    YOU_ARE_NOT_ALLOWED_TO_LIST_INVITATIONS: 'Your role does not let you see invitations.',
    EMAIL_CAN_NOT_BE_UPDATED: 'Nothing was changed: the address is changed under Email.',
    FIELD_NOT_ALLOWED: 'Nothing was changed: one of these cannot be changed by you.',
    NO_FIELDS_TO_UPDATE: 'There was nothing to change.',
    INVALID_TWO_FACTOR_COOKIE: 'That sign-in is over. Begin again with your password.',
    TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'Too many codes were wrong. Begin again with your password.',
    BACKUP_CODES_NOT_ENABLED: 'There are no backup codes. Switch two-factor authentication on first.',
    BACKUP_CODES_SHOWN_ONCE: 'Backup codes are shown once, when they are made. Make new ones if yours are lost.',
    OTP_NOT_CONFIGURED: 'Codes by mail are not offered. Use your authenticator or a backup code.',
    INTERNAL_SERVER_ERROR: 'Something went wrong on our side. Nothing was changed; try again in a moment.',
  },
  boxes: {
    INVALID_PASSWORD: 'This is not your password. Check it for typing errors.',
    INVALID_CODE: 'Enter the code that your authenticator shows now.',
    INVALID_BACKUP_CODE: 'Enter another one of your backup codes.',
    EMAIL_IS_THE_SAME: 'Enter another address.',
    SLUG_TAKEN: 'Choose another short name.',
  },
  fields: { ...fieldProblems, other: 'This cannot be used. Choose something else.' },
  activity: {
    'sign-up': 'Account created',
    'sign-in': 'Signed in',
    'sign-out': 'Signed out',
    reauthenticate: "Confirmed it's you",
    'request-reauthentication-link': 'Link to confirm your identity requested',
    'revoke-session': 'Devices signed out',
    'verify-email': 'Email address confirmed',
    'request-email-change': 'Email change requested',
    'change-email': 'Email address changed',
    'undo-email-change': 'Email change undone',
    'clear-password': 'Password removed',
    'restore-two-factor': 'Earlier two-factor authentication turned on again',
    'remove-backup-codes': 'Backup codes removed',
    'request-password-reset': 'Password reset link requested',
    'reset-password': 'Password reset with an emailed link',
    'change-password': 'Password changed',
    'set-password': 'Password set',
    'pause-password': 'Password no longer accepted from new devices, after too many wrong ones',
    'link-account': 'Account linked for signing in',
    'unlink-account': 'Linked account removed',
    'update-user': 'Profile or trading settings changed',
    'export-data': 'Personal data downloaded',
    'request-account-deletion': 'Account deletion link requested',
    'create-organization': 'Organization created',
    'update-organization': 'Organization changed',
    'delete-organization': 'Organization deleted',
    'add-member': 'Added to an organization',
    'accept-membership': 'Membership accepted',
    'drop-membership': 'Unaccepted membership ended',
    'remove-member': 'Removed from an organization',
    'update-member-role': 'Role in an organization changed',
    'leave-organization': 'Organization left',
    'invite-member': 'Someone invited to an organization',
    'accept-invitation': 'Organization joined',
    'reject-invitation': 'Invitation declined',
    'cancel-invitation': 'Invitation taken back',
    'two-factor-challenge': 'Password accepted, code requested',
    'prepare-two-factor': 'Set-up of two-factor authentication begun',
    'enable-two-factor': 'Two-factor authentication switched on',
    'verify-two-factor': 'Code entered',
    'lock-two-factor': 'Codes locked after too many wrong ones',
    'disable-two-factor': 'Two-factor authentication switched off',
    'replace-backup-codes': 'New backup codes made',
    'revoke-trusted-device': 'Trusted device removed',
    'import-user': 'Account brought over from the former service',
    'retry-mail': 'A mail that could not be delivered is sent again',
    'drop-mail': 'A mail that could not be delivered was given up',
    'suspend-user': 'Account suspended by support',
    'restore-user': 'Account restored by support',
  },
  activityFailed: {
    'sign-in': 'Failed attempt to sign in',
    'verify-two-factor': 'Wrong code entered',
  },
  notices,
  undoWill: (effects, providerName) =>
    sentences([
      'Your account uses this email again.',
      'Everyone is signed out, on every device.',
      effects.passwordRemoved
        ? 'Your password stops working. We email you a link to choose a new one.'
        : 'We email you a link to choose a password.',
      ...effects.unlinkedProviders.map((id) => `${providerName(id)} is unlinked. You can link it again afterwards.`),
      effects.twoFactor === 'removed' &&
        'Two-factor authentication is turned off, since it was turned on recently. Set it up again afterwards.',
      effects.twoFactor === 'restored' &&
        'Your earlier two-factor authentication is turned on again. You need the authenticator you had before.',
      effects.backupCodesRemoved && 'Backup codes that were created recently stop working.',
      effects.trustedDevices > 0 && 'Every device needs a two-factor code again.',
      effects.invitations > 0 && `Open invitations you sent are canceled: ${effects.invitations}.`,
      effects.tradingDisabled && 'Trading is turned off. You can turn it on again afterwards.',
      effects.riskLevelLowered && 'Your risk level is set to the lowest.',
      effects.profileRestored && 'Your name and picture go back to what they were before the change.',
    ]),
  undoDid: (effects, providerName) =>
    sentences([
      'Your account uses this email again, and everyone was signed out.',
      effects.passwordRemoved
        ? 'Your password no longer works. We emailed you a link to choose a new one.'
        : 'We emailed you a link to choose a password.',
      ...effects.unlinkedProviders.map((id) => `${providerName(id)} was unlinked. You can link it again under Linked accounts.`),
      effects.twoFactor === 'removed' &&
        'Two-factor authentication was turned off. Set it up again under Security once you are signed in.',
      effects.twoFactor === 'restored' &&
        'Your earlier two-factor authentication is on again. Use the authenticator you had before.',
      effects.backupCodesRemoved && 'Recent backup codes no longer work. Create new ones under Security.',
      effects.trustedDevices > 0 && 'Every device needs a two-factor code again.',
      effects.invitations > 0 &&
        `Open invitations you sent were canceled: ${effects.invitations}. Send them again if you need them.`,
      effects.tradingDisabled && 'Trading was turned off. Turn it on again under Trading when you are ready.',
      effects.riskLevelLowered && 'Your risk level is the lowest now.',
      effects.profileRestored && 'Your name and picture are what they were before the change.',
    ]),
  passwordAccepted: 'Hard to guess: this password will do.',
  formUnreadable: 'This form could not be read. Go back and send it again.',
  tryAgainIn: (amount, unit) => ` Try again in ${amount} ${unit}${amount === 1 ? '' : 's'}.`,
  organizations: (slugs) => ` Organizations: ${slugs}.`,
  socialRefusals: {
    service_unavailable: ['We could not finish this right now.', 'Try again in a moment.'],
    too_many_requests: ['There were too many tries from your address.', 'Wait a few minutes, then start again from this page.'],
    state_not_found: ['The provider sent you back without telling us which attempt it was.', 'Start again from this page.'],
    state_mismatch: [
      `This attempt does not count any more: it took more than ${policy.socialFlow.lifetime / 60} minutes, was used already, or began in another browser or sign-in.`,
      'Start again from this page, and finish in the same browser.',
    ],
    issuer_mismatch: [
      'The answer did not come from the provider you chose, so we did not use it.',
      'Start again from this page. If it happens again, do not go on: tell the people who run this service.',
    ],
    access_denied: [
      'The provider did not let us see who you are: access was refused there.',
      'Try again and allow it, or use another way.',
    ],
    provider_error: ['The provider reported an error.', 'Try again in a few minutes, or use another way.'],
    provider_unavailable: ['The provider does not answer right now.', 'Try again in a few minutes, or use another way.'],
    no_code: [
      'The provider sent you back without the proof that it is you.',
      'Try again. If it keeps happening, use another way.',
    ],
    invalid_code: [
      'The provider no longer accepted the proof that it is you.',
      'Try again. If it keeps happening, use another way.',
    ],
    unable_to_get_user_info: [
      'What the provider said about you could not be verified, so we did not use it.',
      'Try again. If it keeps happening, use another way.',
    ],
    email_not_found: [
      'The provider gave us no email address of yours, and an account needs one.',
      'Add an address to your account there and try again, or sign up with your email address and a password.',
    ],
    email_not_verified: [
      'The provider has not confirmed that your email address is yours.',
      'Confirm the address there and try again, or sign up with your email address and a password.',
    ],
    account_not_linked: [
      'There is an account with your email address already, and we cannot be sure that both are yours.',
      'Sign in the way you did before, then link the provider in the settings, under Accounts.',
    ],
    account_already_linked_to_different_user: [
      'Nothing was linked: that account belongs to someone else here, perhaps to another account of yours.',
      'Choose another one at the provider. Or sign in with it, unlink it in the settings there, and come back.',
    ],
    different_account: [
      "That account at the provider isn't linked to your account here.",
      'Sign in to the provider with the account you linked, then try again.',
    ],
    provider_sign_in_too_old: [
      'You signed in to the provider too long ago.',
      'Sign out at the provider, sign in there again, then try again. Or choose another way.',
    ],
    sign_in_refused: [
      'This account may not be used to sign in at present.',
      'If you think that this is a mistake, ask the people who run this service.',
    ],
    unknown: ['The way through the provider did not work.', 'Try again. If it keeps happening, use another way.'],
  },
}
