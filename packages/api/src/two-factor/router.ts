import { router } from '../trpc.ts'
import { disableTwoFactor } from './disable-two-factor.ts'
import { enableTwoFactor, getTotpUri } from './enable-two-factor.ts'
import { generateBackupCodes } from './generate-backup-codes.ts'
import { getChallenge, getTwoFactor } from './get-two-factor.ts'
import { listTrustedDevices } from './list-trusted-devices.ts'
import { revokeTrustedDevice } from './revoke-trusted-device.ts'
import { refuseEmailedCode, refuseToShowBackupCodes } from './unavailable-methods.ts'
import { verifyTwoFactor } from './verify-two-factor.ts'

export const twoFactorRouter = router({
  get: getTwoFactor,
  getChallenge,
  enable: enableTwoFactor,
  getTotpUri,
  verify: verifyTwoFactor,
  disable: disableTwoFactor,
  generateBackupCodes,
  listTrustedDevices,
  revokeTrustedDevice,
  mailedCode: refuseEmailedCode,
  viewBackupCodes: refuseToShowBackupCodes,
})
