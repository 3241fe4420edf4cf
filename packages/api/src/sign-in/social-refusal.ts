export type SocialRefusalCode =
  | 'state_not_found'
  | 'state_mismatch'
  | 'issuer_mismatch'
  | 'access_denied'
  | 'provider_error'
  | 'provider_unavailable'
  | 'no_code'
  | 'invalid_code'
  | 'unable_to_get_user_info'
  | 'email_not_found'
  | 'email_not_verified'
  | 'account_not_linked'
  | 'account_already_linked_to_different_user'
  | 'account_locked'
  | 'sign_in_refused'
  | 'different_account'
  | 'provider_sign_in_too_old'

export class SocialRefusal extends Error {
  readonly code: SocialRefusalCode

  constructor(code: SocialRefusalCode, cause?: unknown) {
    super(code, { cause })
    this.name = 'SocialRefusal'
    this.code = code
  }
}
