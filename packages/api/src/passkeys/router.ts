import { router } from '../trpc.ts'
import { checkSignUpLink } from './check-sign-up-link.ts'
import { listPasskeys } from './list-passkeys.ts'
import { registerByLink } from './register-by-link.ts'
import { registerPasskey } from './register-passkey.ts'
import { removePasskey } from './remove-passkey.ts'
import { renamePasskey } from './rename-passkey.ts'
import { signInPasskey } from './sign-in-passkey.ts'
import { signUpPasskey } from './sign-up-passkey.ts'
import { startAuthentication } from './start-authentication.ts'
import { startRegistration } from './start-registration.ts'
import { startRegistrationByLink } from './start-registration-by-link.ts'

export const passkeysRouter = router({
  signUp: signUpPasskey,
  checkSignUpLink,
  startRegistrationByLink,
  registerByLink,
  startRegistration,
  register: registerPasskey,
  startAuthentication,
  signIn: signInPasskey,
  list: listPasskeys,
  rename: renamePasskey,
  remove: removePasskey,
})
