/** What undoing a change of email did to an account. */
export type UndoEffects = {
  passwordRemoved: boolean
  /** Names in the email, ids elsewhere. */
  unlinkedProviders: string[]
  /** `removed`: enabled after the trust cutoff. `restored`: disabled or replaced after it. */
  twoFactor: 'none' | 'kept' | 'removed' | 'restored'
  backupCodesRemoved: boolean
  passkeysRemoved: number
  apiKeysRemoved: number
  addressesRemoved: number
  trustedDevices: number
  invitations: number
  tradingDisabled: boolean
  riskLevelLowered: boolean
  profileRestored: boolean
}
