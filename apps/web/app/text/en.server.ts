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

/** Texts of loaders and actions, in one language: why something failed, and what happened on an account. */
export type ServerText = {
  /** Every failure of the catalogue: the wire's own sentences are written for programs. */
  errors: Record<ErrorKey, string>
  /** Shown beside the field that caused the failure. */
  boxes: Record<'INVALID_PASSWORD' | 'INVALID_CODE' | 'INVALID_BACKUP_CODE' | 'EMAIL_IS_THE_SAME' | 'SLUG_TAKEN', string>
  fields: Record<FieldProblem | 'other', string>
  /** What happened on an account, in words for its owner. */
  activity: Record<AuditAction, string>
  /** The same where it did not succeed. */
  activityFailed: Partial<Record<AuditAction, string>>
  /** Shown after the action that led to a page, by the name in its address. */
  notices: typeof notices
  passwordAccepted: string
  formUnreadable: string
  tryAgainIn: (amount: number, unit: 'second' | 'minute' | 'hour') => string
  organizations: (slugs: string) => string
  /** What undoing a change of email does, a sentence each: before it is done and after. */
  undoWill: (effects: UndoEffects, providerName: (id: string) => string) => string[]
  undoDid: (effects: UndoEffects, providerName: (id: string) => string) => string[]
  /** Why a sign-in with a provider failed, and what to do. */
  socialRefusals: Record<Refusal | 'unknown', [happened: string, todo: string]>
}

/** The sentences that apply. */
export const sentences = (items: (string | false)[]): string[] => items.filter((item) => item !== false)

const notices = {
  landing: {
    'account-deleted': 'Your account has been deleted.',
  },
  login: {
    verified: 'Your email is confirmed. You can sign in now.',
    'password-cleared':
      'Your email is confirmed. Someone else had signed up with it too, so we emailed you a link to choose a new password.',
    'address-changed': 'Your new email is confirmed. Sign in with it from now on.',
    'password-reset': 'Your new password is set, and you’re signed out on every device. Sign in with it now.',
    'confirm-change': 'Sign in to the account that is changing its email. Then open the link in the email again.',
    'signed-out': 'You’re signed out.',
    'signed-out-everywhere': 'You’re signed out on every device.',
  },
  accounts: {
    linked: 'Account linked. You can now sign in with it too.',
  },
  deleteAccount: {
    confirmed: 'You’ve confirmed it’s you. Now open the link in the email again.',
  },
  email: {
    changed: 'Email changed. We’ve let your old address know, with a link to undo the change for a few days.',
  },
  organization: {
    created: 'Organization created. You’re its owner.',
    joined: 'You’ve joined the organization.',
    update: 'Organization saved.',
  },
  organizations: {
    left: 'You left the organization.',
    accepted: 'You accepted the membership.',
    deleted: 'Organization deleted.',
    declined: 'You declined the invitation.',
  },
  profile: {
    language: 'Language saved.',
  },
}

export const en: ServerText = {
  errors: {
    VALIDATION_ERROR: 'Some fields need your attention.',
    INVALID_EMAIL_OR_PASSWORD: 'Wrong email or password. Check both and try again.',
    EMAIL_NOT_VERIFIED: 'Your password is right, but your email isn’t confirmed yet. Open the link we emailed you.',
    EMAIL_IS_THE_SAME: 'Nothing was changed: you already use this email.',
    PASSWORD_TOO_SHORT: 'Choose a longer password.',
    PASSWORD_TOO_LONG: 'Choose a shorter password.',
    PASSWORD_TOO_COMMON: 'This password is too easy to guess. Choose another one.',
    PASSWORD_ALREADY_SET: 'Your account already has a password. To change it, enter the current one and a new one.',
    INVALID_PASSWORD: 'Nothing was changed: that password is wrong.',
    CREDENTIAL_ACCOUNT_NOT_FOUND: 'Your account has no password. Choose another way to confirm it’s you.',
    INSUFFICIENT_USER_AUTHENTICATION: 'Confirm it’s you before you do this.',
    INSUFFICIENT_SCOPE: 'You don’t have permission to do this.',
    ORGANIZATION_REQUIRED: 'You’re not a member of this organization.',
    ROLE_REQUIRED: 'Your role in this organization doesn’t allow this.',
    INVALID_AUDIENCE: 'You can’t sign in to this app. Please contact support.',
    SESSION_NOT_FRESH: 'Confirm it’s you before you do this.',
    REAUTHENTICATION_METHOD_NOT_AVAILABLE: 'You can’t confirm it’s you this way. Choose another way.',
    EMAIL_RECENTLY_CHANGED:
      'Nothing was changed: your email changed in the last 7 days, and that change can still be undone. Try again after the 7 days.',
    PROVIDER_NOT_FOUND: 'Nothing was changed: sign-in with this provider is turned off. Choose another one.',
    PROVIDER_UNAVAILABLE: 'The provider isn’t responding. Nothing was changed. Try again in a moment.',
    ACCOUNT_NOT_FOUND: 'Nothing was changed: this account is no longer linked. Reload the page to see which ones are.',
    FAILED_TO_UNLINK_LAST_ACCOUNT:
      'Nothing was unlinked: you’d have no way to sign in. Set a password or link another account first.',
    INVALID_TOKEN: 'This link doesn’t work. It may have been used already, replaced by a newer one or copied incompletely.',
    EMAIL_TAKEN:
      'Nothing was changed: a newer account now uses this email. Sign in to it, delete it in the settings, then open this link again. It will still work.',
    TOKEN_EXPIRED: 'This link has expired.',
    INVALID_USER: 'This link is for a different account than the one you’re signed in to. Sign out, then confirm the email.',
    YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER:
      'Nothing was changed: you’re the only owner of an organization. Make another member an owner or delete it first.',
    YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER:
      'Nothing was changed: an organization needs an owner. Make another member its owner first.',
    MEMBER_HAS_NOT_ACCEPTED:
      'Nothing was changed: only members who accepted their membership can be owners. Ask this member to accept it in their settings, or invite someone else as an owner.',
    ORGANIZATION_NOT_FOUND: 'This organization doesn’t exist, or you’re not a member of it.',
    ORGANIZATION_ALREADY_EXISTS: 'This short name is taken. Choose another one.',
    ORGANIZATION_SLUG_ALREADY_TAKEN: 'Nothing was changed: this short name is taken. Choose another one.',
    YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS: `You’ve reached the limit of ${policy.organizations.perUser} organizations. Leave or delete one, then try again.`,
    ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: 'This organization is full. Ask one of its owners to make room, then try again.',
    MEMBER_NOT_FOUND: 'Nothing was changed: this person is no longer a member.',
    USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'This person is already a member.',
    USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: 'This person already has a pending invitation. You can resend it below.',
    INVITATION_LIMIT_REACHED: 'Too many invitations are pending. Cancel some, or wait for a reply.',
    INVITATION_NOT_FOUND:
      'This invitation no longer works: it was answered, canceled or replaced by a newer email, or it has expired. Ask for a new one.',
    YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION:
      'This invitation is for a different email. Sign in with the email it was sent to.',
    EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION: 'Confirm your email first, then try again.',
    EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION: 'Confirm your email first, then try again.',
    YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION: 'Nothing was changed: your role no longer allows it.',
    YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION: 'Nothing was deleted: only owners can delete an organization.',
    YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER: 'Nothing was changed: your role no longer allows it.',
    YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER: 'No one was removed: your role no longer allows it.',
    YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION: 'No one was invited: your role no longer allows it.',
    YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE: 'No one was invited: this role is above yours.',
    YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION: 'Nothing was changed: your role no longer allows it.',
    INVALID_CODE: 'That code is wrong or was already used.',
    INVALID_BACKUP_CODE: 'That backup code is wrong or was already used.',
    ACCOUNT_TEMPORARILY_LOCKED: 'Too many wrong codes were entered for this account, so codes are blocked for now.',
    PASSWORD_LOCKED:
      'Too many wrong passwords were entered here or on your other devices. Sign out and back in, or reset your password by email, then try again.',
    TOTP_NOT_ENABLED: 'Two-factor authentication isn’t set up. Start the setup again.',
    TOTP_ALREADY_ENABLED: 'Nothing was changed: two-factor authentication is already on. Reload the page to see it.',
    TWO_FACTOR_NOT_ENABLED: 'Nothing was changed: two-factor authentication is already off.',
    TOO_MANY_REQUESTS: 'Too many attempts in a short time.',
    SERVICE_BUSY: 'The service is very busy right now. Nothing was changed. Try again in a moment.',
    SERVICE_UNAVAILABLE: 'The service is unavailable right now. Nothing was changed. Try again in a moment.',
    BAD_REQUEST: 'We couldn’t read what you sent. Go back and try again.',
    UNSUPPORTED_MEDIA_TYPE: 'We couldn’t read what you sent. Go back and try again.',
    PAYLOAD_TOO_LARGE: 'That’s too long. Shorten it, then try again.',
    NOT_FOUND: 'There’s nothing here.',
    METHOD_NOT_ALLOWED: 'This page can’t do that. Go back and try again.',
    UNAUTHORIZED: 'You’re signed out. Sign in, then try again.',
    INVALID_ORIGIN: 'This was sent from a page that isn’t ours, so nothing was changed. Open our page and try again there.',
    CROSS_SITE_NAVIGATION_LOGIN_BLOCKED:
      'This was sent from a page that isn’t ours, so you weren’t signed in. Open our page and try again there.',
    MISSING_OR_NULL_ORIGIN:
      'Your browser didn’t say which page this came from, so nothing was changed. Reload the page and try again.',
    INVALID_CALLBACK_URL: 'This link leads to a page that isn’t ours. Start again from our home page.',
    INVALID_ERROR_CALLBACK_URL: 'This link leads to a page that isn’t ours. Start again from our home page.',
    INVALID_NEW_USER_CALLBACK_URL: 'This link leads to a page that isn’t ours. Start again from our home page.',
    INVALID_REDIRECT_URL: 'This link leads to a page that isn’t ours. Start again from our home page.',
    ID_TOKEN_NOT_SUPPORTED: 'This way to sign in isn’t available. Choose another one.',
    EMAIL_ALREADY_VERIFIED: 'This email is already confirmed.',
    EMAIL_MISMATCH: 'This isn’t the email of your account.',
    USER_NOT_FOUND: 'This account no longer exists.',
    NO_ACTIVE_ORGANIZATION: 'Choose an organization first.',
    ROLE_NOT_FOUND: 'This role doesn’t exist. Choose one from the list.',
    YOU_ARE_NOT_ALLOWED_TO_LIST_INVITATIONS: 'Your role doesn’t let you see invitations.',
    EMAIL_CAN_NOT_BE_UPDATED: 'Nothing was changed: change your email in the Email settings.',
    FIELD_NOT_ALLOWED: 'Nothing was changed: you can’t edit one of these fields.',
    NO_FIELDS_TO_UPDATE: 'There was nothing to change.',
    INVALID_TWO_FACTOR_COOKIE: 'This sign-in has expired. Start over with your password.',
    TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'Too many wrong codes. Start over with your password.',
    BACKUP_CODES_NOT_ENABLED: 'You have no backup codes. Turn on two-factor authentication first.',
    BACKUP_CODES_SHOWN_ONCE: 'Backup codes are shown only once, when you create them. If you’ve lost yours, create new ones.',
    OTP_NOT_CONFIGURED: 'Codes by email aren’t available. Use your authenticator app or a backup code.',
    INTERNAL_SERVER_ERROR: 'Something went wrong on our side. Nothing was changed. Try again in a moment.',
  },
  boxes: {
    INVALID_PASSWORD: 'That’s not your password. Check it for typos.',
    INVALID_CODE: 'Enter the code your authenticator app shows now.',
    INVALID_BACKUP_CODE: 'Enter another backup code.',
    EMAIL_IS_THE_SAME: 'Enter a different email.',
    SLUG_TAKEN: 'Choose another short name.',
  },
  fields: {
    ...fieldProblems,
    emailInvalid: 'Enter a valid email address',
    topTen: 'This is one of the most used passwords in the world.',
    topHundred: 'This password is used very often.',
    common: 'This password is used often.',
    similarToCommon: 'This is close to a password that is used often.',
    wordByItself: 'A single word is easy to guess.',
    namesByThemselves: 'A name by itself is easy to guess.',
    commonNames: 'Common names are easy to guess.',
    userInputs: 'Leave out anything about you or this service, such as your name or email.',
    pwned: 'This password was exposed in a data breach.',
    easyToGuess: 'This is easy to guess: add a word or two that have nothing to do with you',
    other: 'You can’t use this. Choose something else.',
  },
  activity: {
    'sign-up': 'Account created',
    'sign-in': 'Signed in',
    'sign-out': 'Signed out',
    reauthenticate: 'Identity confirmed',
    'request-reauthentication-link': 'Identity confirmation link requested',
    'revoke-session': 'Devices signed out',
    'verify-email': 'Email address confirmed',
    'request-email-change': 'Email change requested',
    'change-email': 'Email address changed',
    'undo-email-change': 'Email change undone',
    'clear-password': 'Password removed',
    'restore-two-factor': 'Earlier two-factor authentication restored',
    'remove-backup-codes': 'Backup codes removed',
    'request-password-reset': 'Password reset link requested',
    'reset-password': 'Password reset by email',
    'change-password': 'Password changed',
    'set-password': 'Password set',
    'pause-password': 'Password blocked on new devices after too many wrong attempts',
    'link-account': 'Sign-in method added',
    'unlink-account': 'Sign-in method removed',
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
    'leave-organization': 'Left an organization',
    'invite-member': 'Invitation to an organization sent',
    'accept-invitation': 'Joined an organization',
    'reject-invitation': 'Invitation declined',
    'cancel-invitation': 'Invitation canceled',
    'two-factor-challenge': 'Password accepted, code requested',
    'prepare-two-factor': 'Two-factor authentication setup started',
    'enable-two-factor': 'Two-factor authentication turned on',
    'verify-two-factor': 'Code entered',
    'lock-two-factor': 'Codes blocked after too many wrong ones',
    'disable-two-factor': 'Two-factor authentication turned off',
    'replace-backup-codes': 'New backup codes created',
    'revoke-trusted-device': 'Trusted device removed',
    'import-user': 'Account imported from the previous service',
    'retry-mail': 'Undelivered email sent again',
    'drop-mail': 'Undelivered email discarded',
    'suspend-user': 'Account suspended by support',
    'restore-user': 'Account restored by support',
  },
  activityFailed: {
    'sign-in': 'Failed sign-in attempt',
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
  passwordAccepted: 'Good choice: this password is hard to guess.',
  formUnreadable: 'We couldn’t read this form. Go back and try again.',
  tryAgainIn: (amount, unit) => ` Try again in ${amount} ${unit}${amount === 1 ? '' : 's'}.`,
  organizations: (slugs) => ` Organizations: ${slugs}.`,
  socialRefusals: {
    service_unavailable: ['We couldn’t finish this right now.', 'Try again in a moment.'],
    too_many_requests: ['Too many attempts came from your network.', 'Wait a few minutes, then start again from this page.'],
    state_not_found: ['The provider sent you back without saying which attempt this was.', 'Start again from this page.'],
    state_mismatch: [
      `This attempt is no longer valid: it took more than ${policy.socialFlow.lifetime / 60} minutes, was already used, or started in another browser or sign-in.`,
      'Start again from this page, and finish in the same browser.',
    ],
    issuer_mismatch: [
      'The answer didn’t come from the provider you chose, so we didn’t use it.',
      'Start again from this page. If it happens again, stop there and contact the team that runs this service.',
    ],
    access_denied: [
      'The provider didn’t share who you are: access was denied there.',
      'Try again and allow access, or try another way.',
    ],
    provider_error: ['The provider reported an error.', 'Try again in a few minutes, or try another way.'],
    provider_unavailable: ['The provider isn’t responding.', 'Try again in a few minutes, or try another way.'],
    no_code: ['The provider sent you back without confirming it’s you.', 'Try again. If it keeps happening, try another way.'],
    invalid_code: [
      'The provider’s confirmation that it’s you was no longer valid.',
      'Try again. If it keeps happening, try another way.',
    ],
    unable_to_get_user_info: [
      'We couldn’t verify what the provider told us about you, so we didn’t use it.',
      'Try again. If it keeps happening, try another way.',
    ],
    email_not_found: [
      'The provider didn’t share an email address, and your account needs one.',
      'Add an email to your account there and try again, or sign up with an email and a password.',
    ],
    email_not_verified: [
      'The provider hasn’t confirmed that this email is yours.',
      'Confirm your email there and try again, or sign up with an email and a password.',
    ],
    account_not_linked: [
      'There’s already an account with your email, and we can’t be sure that both are yours.',
      'Sign in the way you did before, then link the provider under Settings, Accounts.',
    ],
    account_already_linked_to_different_user: [
      'Nothing was linked: that account is already linked to another account here, maybe one of yours.',
      'Choose another one at the provider. Or sign in here with it, unlink it in the settings, then try again.',
    ],
    different_account: [
      'That account at the provider isn’t linked to your account here.',
      'Sign in to the provider with the account you linked, then try again.',
    ],
    provider_sign_in_too_old: [
      'You signed in to the provider too long ago.',
      'Sign out at the provider, sign in there again, then retry. Or choose another way.',
    ],
    sign_in_refused: [
      'This account can’t be used to sign in right now.',
      'If you think this is a mistake, contact the team that runs this service.',
    ],
    unknown: ['We couldn’t complete this with the provider.', 'Try again. If it keeps happening, try another way.'],
  },
}
