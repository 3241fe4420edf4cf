/** What a person can let a key do, in three choices. */
export const keyChoices = {
  read: ['account:read', 'order:read'],
  trade: ['order:place', 'order:cancel'],
  withdraw: ['withdrawal:read', 'withdrawal:create'],
} as const

export type KeyChoice = keyof typeof keyChoices
