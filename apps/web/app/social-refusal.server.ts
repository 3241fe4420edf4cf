import type { SocialRefusalCode } from '@floorpass/api'

export type RefusalText = {
  /** Null for one that we do not know: what stands in an address is not repeated on the page. */
  code: string | null
  happened: string
  todo: string
}

const again = 'Try again. If it keeps happening, use another way.'

const refusals: Record<SocialRefusalCode | 'too_many_requests' | 'service_unavailable', [happened: string, todo: string]> = {
  service_unavailable: ['We could not finish this right now.', 'Try again in a moment.'],
  too_many_requests: ['There were too many tries from your address.', 'Wait a few minutes, then start again from this page.'],
  state_not_found: ['The provider sent you back without telling us which attempt it was.', 'Start again from this page.'],
  state_mismatch: [
    'This attempt does not count any more: it took more than ten minutes, was used already, or began in another browser or sign-in.',
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
  provider_error: ['The provider reported a failure of its own.', 'Try again in a few minutes, or use another way.'],
  provider_unavailable: ['The provider does not answer right now.', 'Try again in a few minutes, or use another way.'],
  no_code: ['The provider sent you back without the proof that it is you.', again],
  invalid_code: ['The provider no longer accepted the proof that it is you.', again],
  unable_to_get_user_info: ['What the provider said about you could not be verified, so we did not use it.', again],
  email_not_found: [
    'The provider gave us no e-mail address of yours, and an account needs one.',
    'Add an address to your account there and try again, or sign up with your e-mail address and a password.',
  ],
  email_not_verified: [
    'The provider has not confirmed that your e-mail address is yours.',
    'Confirm the address there and try again, or sign up with your e-mail address and a password.',
  ],
  account_not_linked: [
    'There is an account with your e-mail address already, and we cannot be sure that both are yours.',
    'Sign in the way you did before, then link the provider in the settings, under Accounts.',
  ],
  account_already_linked_to_different_user: [
    'Nothing was linked: that account belongs to someone else here, perhaps to another account of yours.',
    'Choose another one at the provider. Or sign in with it, unlink it in the settings there, and come back.',
  ],
  sign_in_refused: [
    'This account may not be used to sign in at present.',
    'If you think that this is a mistake, ask the people who run this service.',
  ],
}

/** What `?error=` in the address says about a way through a provider that ended without success; null without one. */
export function socialRefusalOf(url: URL): RefusalText | null {
  const code = url.searchParams.get('error')
  if (code === null) return null
  const known = Object.hasOwn(refusals, code) ? refusals[code as keyof typeof refusals] : undefined
  const [happened, todo] = known ?? ['The way through the provider did not work.', again]
  return { code: known ? code : null, happened, todo }
}
