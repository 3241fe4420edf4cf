import type { AppError } from '@floorpass/api'
import type { PageError } from '#app/form-result.ts'

/** What a person reads instead of the wire's sentence, which is written for programs. */
const text: Record<string, string> = {
  VALIDATION_ERROR: 'Some fields need another look.',
  INVALID_EMAIL_OR_PASSWORD: 'The e-mail address and password do not match an account. Check both and try again.',
  EMAIL_NOT_VERIFIED: 'Your password is right, but this address is not confirmed yet. Open the link in the mail we sent you.',
  EMAIL_IS_THE_SAME: 'Nothing was changed: this is the address you have already.',
  PASSWORD_TOO_SHORT: 'Choose a longer password.',
  PASSWORD_TOO_LONG: 'Choose a shorter password.',
  PASSWORD_TOO_COMMON: 'This password is too easy to guess. Choose another one.',
  PASSWORD_ALREADY_SET: 'Your account has a password already. To choose another one, enter it here together with the new one.',
  INVALID_PASSWORD: 'Nothing was changed: the password is not right.',
  CREDENTIAL_ACCOUNT_NOT_FOUND: 'Your account has no password, so there is none to confirm.',
  SESSION_NOT_FRESH: 'You signed in a while ago. To do this, sign in again so that we know it is you.',
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
  ORGANIZATION_NOT_FOUND: 'There is no such organization, or you are no member of it.',
  ORGANIZATION_ALREADY_EXISTS: 'This short name is taken. Choose another one.',
  ORGANIZATION_SLUG_ALREADY_TAKEN: 'Nothing was changed: this short name is taken. Choose another one.',
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS:
    'You are in as many organizations as you can be. Leave or delete one, then come back.',
  ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: 'This organization is full. Ask one of its owners to make room, then come back.',
  MEMBER_NOT_FOUND: 'Nothing was changed: this person is no longer a member.',
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 'This person is a member already.',
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: 'This address has an open invitation already. You can send it again below.',
  INVITATION_LIMIT_REACHED: 'Too many invitations are open. Take some back, or wait until they are answered.',
  INVITATION_NOT_FOUND:
    'This invitation is no longer open: it was answered or taken back, it is too old, or a newer mail replaced it. Ask for a new one.',
  YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION:
    'This invitation is for another address. Sign in with the address that the mail was sent to.',
  EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION: 'Confirm your e-mail address first, then come back.',
  EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION: 'Confirm your e-mail address first, then come back.',
  YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION: 'Nothing was changed: your role does not allow it any more.',
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION: 'Nothing was deleted: only owners can delete an organization.',
  YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER: 'Nothing was changed: your role does not allow it any more.',
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER: 'Nobody was removed: your role does not allow it any more.',
  YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION: 'Nobody was invited: your role does not allow it any more.',
  YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE: 'Nobody was invited: this role is above your own.',
  YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION: 'Nothing was changed: your role does not allow it any more.',
  INVALID_CODE: 'That code is not right, or it was used already.',
  INVALID_BACKUP_CODE: 'That backup code is not right, or it was used already.',
  ACCOUNT_TEMPORARILY_LOCKED:
    'Too many wrong codes were entered for this account, here or elsewhere. No code is accepted for now.',
  TOTP_NOT_ENABLED: 'There is no second factor to enter a code for. Set it up again.',
  TOTP_ALREADY_ENABLED: 'Nothing was changed: two-factor authentication is on already. Load the page again to see it.',
  TWO_FACTOR_NOT_ENABLED: 'Nothing was changed: two-factor authentication is off already.',
  TOO_MANY_REQUESTS: 'Too many tries in a short time.',
  SERVICE_BUSY: 'The service is very busy and did not get to your request. Nothing was changed; try again in a moment.',
  SERVICE_UNAVAILABLE: 'The service cannot be reached right now. Nothing was changed; try again in a moment.',
}

/** Failures that belong to one box: the names it has in our forms, and what is said beside it. */
const atField: Record<string, { names: readonly string[]; message: string }> = {
  INVALID_PASSWORD: { names: ['currentPassword', 'password'], message: 'This is not your password. Check it for typing errors.' },
  INVALID_CODE: { names: ['code'], message: 'Enter the code that your authenticator shows now.' },
  INVALID_BACKUP_CODE: { names: ['code'], message: 'Enter another one of your backup codes.' },
  EMAIL_IS_THE_SAME: { names: ['newEmail'], message: 'Enter another address.' },
  ORGANIZATION_ALREADY_EXISTS: { names: ['slug'], message: 'Choose another short name.' },
  ORGANIZATION_SLUG_ALREADY_TAKEN: { names: ['slug'], message: 'Choose another short name.' },
}

const waits = new Set(['TOO_MANY_REQUESTS', 'ACCOUNT_TEMPORARILY_LOCKED'])

/** The failure in the words of the page. `has` tells which fields the form had. */
export function explain(error: AppError, has: (field: string) => boolean = () => false): PageError {
  const message = text[error.key] ?? error.message
  const box = atField[error.key]
  const name = box?.names.find(has)
  const fields = error.fields ? inForm(error.fields, has) : box && name ? { [name]: box.message } : {}
  const wait = waits.has(error.key) && error.retryAfter !== null ? ` Try again ${inWords(error.retryAfter)}.` : ''
  // A deleted account's refusal ends with the organizations that it is about.
  const [, about] = error.key === 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER' ? error.message.split(': ') : []
  const named = about === undefined ? '' : ` It is about: ${about}.`
  return { key: error.key, message: message + named + wait, fields, retryAfter: error.retryAfter }
}

/** `data.name` of a contract is the box `name` of a form. */
function inForm(fields: Record<string, string>, has: (field: string) => boolean): Record<string, string> {
  const boxOf = (path: string) => (has(path) ? path : (path.split('.').at(-1) ?? path))
  return Object.fromEntries(Object.entries(fields).map(([path, message]) => [boxOf(path), message]))
}

function inWords(seconds: number): string {
  const [amount, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `in ${amount} ${unit}${amount === 1 ? '' : 's'}`
}
