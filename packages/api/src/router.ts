import { introspect } from './access/introspect.ts'
import { accessRouter } from './access/router.ts'
import { administrationRouter } from './administration/router.ts'
import { checkAllowListEntry } from './allow-list/check-entry.ts'
import { allowListRouter } from './allow-list/router.ts'
import { apiKeysRouter } from './api-keys/router.ts'
import { verifyApiKey } from './api-keys/verify-api-key.ts'
import { consumeConfirmation } from './confirmations/consume-confirmation.ts'
import { createConfirmationForUser } from './confirmations/create-confirmation-for-user.ts'
import { confirmationsRouter } from './confirmations/router.ts'
import { emailAddressRouter } from './email-address/router.ts'
import { listEvents } from './events/list-events.ts'
import { streamEvents } from './events/stream-events.ts'
import { linkedAccountsRouter } from './linked-accounts/router.ts'
import { organizationsRouter } from './organizations/router.ts'
import { passkeysRouter } from './passkeys/router.ts'
import { passwordsRouter } from './passwords/router.ts'
import { profileRouter } from './profile/router.ts'
import { protectionRouter } from './protection/router.ts'
import { sessionsRouter } from './sessions/router.ts'
import { signInRouter } from './sign-in/router.ts'
import { createCallerFactory, mergeRouters, router } from './trpc.ts'
import { twoFactorRouter } from './two-factor/router.ts'

export const appRouter = router({
  signIn: signInRouter,
  sessions: sessionsRouter,
  passwords: passwordsRouter,
  emailAddress: emailAddressRouter,
  profile: profileRouter,
  linkedAccounts: linkedAccountsRouter,
  organizations: organizationsRouter,
  twoFactor: twoFactorRouter,
  access: accessRouter,
  passkeys: passkeysRouter,
  apiKeys: apiKeysRouter,
  protection: protectionRouter,
  allowList: allowListRouter,
  confirmations: confirmationsRouter,
  administration: administrationRouter,
})

export type AppRouter = typeof appRouter

/** What REST calls. /trpc serves no other service: its queries would carry a session's secret in the URL. */
export const restRouter = mergeRouters(
  appRouter,
  router({
    introspect,
    verifyApiKey,
    checkAllowListEntry,
    createConfirmationForUser,
    consumeConfirmation,
    listEvents,
    streamEvents,
  }),
)

export const createCaller = createCallerFactory(restRouter)

export type Api = ReturnType<typeof createCaller>
