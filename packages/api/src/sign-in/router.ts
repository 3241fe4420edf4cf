import { router } from '../trpc.ts'
import { finishSocial } from './finish-social.ts'
import { getReauthentication } from './get-reauthentication.ts'
import { reauthenticate } from './reauthenticate.ts'
import { signInEmail } from './sign-in-email.ts'
import { signOut } from './sign-out.ts'
import { signUpEmail } from './sign-up-email.ts'
import { startSocial } from './start-social.ts'

export const signInRouter = router({
  email: signInEmail,
  signUp: signUpEmail,
  startSocial,
  finishSocial,
  signOut,
  reauthenticate,
  getReauthentication,
})
