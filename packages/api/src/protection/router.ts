import { router } from '../trpc.ts'
import { cancelUnlock } from './cancel-unlock.ts'
import { getProtection } from './get-protection.ts'
import { liftHold } from './lift-hold.ts'
import { lockAccount } from './lock-account.ts'
import { checkPanicLink, panic } from './panic.ts'
import { requestUnlock } from './request-unlock.ts'
import { setPhrase } from './set-phrase.ts'
import { undoPanic } from './undo-panic.ts'
import { unlockWithKey } from './unlock-with-key.ts'

export const protectionRouter = router({
  get: getProtection,
  lock: lockAccount,
  requestUnlock,
  cancelUnlock,
  unlockWithKey,
  liftHold,
  setPhrase,
  panic,
  checkPanicLink,
  undoPanic,
})
