const intents = [
  'lift-hold',
  'lock',
  'request-unlock',
  'cancel-unlock',
  'undo-panic',
  'unlock-with-key',
  'set-phrase',
  'remove-phrase',
] as const

export type ProtectionIntent = (typeof intents)[number]

type ProtectionState = {
  isReauthenticated: boolean
  hasPasskeys: boolean
  passkey: 'none' | 'new' | 'ready'
  phrase: string | null
  hold: { until: unknown; liftable: boolean }
  lock: { locked: boolean; kind: 'owner' | 'panic' | null; unlockAt: unknown; hasKey: boolean }
}

/** The forms that the protection page has now. `failed` is the intent of a form that was refused: a form for the phrase then stays. */
export function protectionForms(state: ProtectionState, failed: string | undefined): ProtectionIntent[] {
  const { isReauthenticated, hasPasskeys, phrase, hold, lock } = state
  const { locked } = lock
  const hasPasskey = state.passkey !== 'none'
  const mayChangePhrase = !locked && (isReauthenticated || failed === 'set-phrase' || failed === 'remove-phrase')
  const isOpen: Record<ProtectionIntent, boolean> = {
    'lift-hold': !locked && hasPasskey && hold.until !== null && hold.liftable,
    lock: !locked && hasPasskeys && state.passkey === 'ready',
    'request-unlock': locked && lock.unlockAt === null,
    'cancel-unlock': locked && lock.unlockAt !== null,
    'undo-panic': locked && lock.kind === 'panic' && hasPasskeys && hasPasskey,
    'unlock-with-key': locked && lock.hasKey && hasPasskeys,
    'set-phrase': mayChangePhrase,
    'remove-phrase': mayChangePhrase && phrase !== null,
  }
  return intents.filter((intent) => isOpen[intent])
}
