import type { HoldReason } from './policy.ts'

/** A file of the operator that pages show. */
export type BrandImage = {
  /** Names the content, so browsers may keep it forever. */
  path: string
  type: string
  content: Uint8Array<ArrayBuffer>
  /** Null where the file does not say it. */
  size: { width: number; height: number } | null
}

export type AccentColors = { accent: string; strong: string; soft: string; onAccent: string }

export type ConfirmationLevel = 'none' | 'otp' | 'passkey' | 'passkey+hold'

export type ConfirmationRule = {
  type: string
  /** The rule is for this amount or less. Null: for any. */
  most: { amount: string; currency: string } | null
  level: ConfirmationLevel
}

/** What an operator chose for pages and emails. What is null stays ours. */
export type Brand = {
  logo: BrandImage | null
  icon: BrandImage | null
  accent: Record<'light' | 'dark', AccentColors> | null
  termsUrl: string | null
  privacyUrl: string | null
  mailFooter: readonly string[]
}

/** A variable of the environment. `value` is null for a secret, and where nothing is in force. */
export type SettingDescription = {
  name: string
  value: string | null
  isSet: boolean
  isSecret: boolean
  source: 'environment' | 'file' | 'default'
}

export type Settings = {
  appName: string
  /** Where users get help: an https or mailto URL. */
  supportUrl: string | null
  brand: Brand
  baseUrl: string
  trustedOrigins: readonly string[]
  /** For which `/auth/token` signs. BASE_URL comes first. */
  tokenAudiences: readonly string[]
  /** SHA-256 of each entry of SERVICE_KEYS, as `hashToken` writes it. */
  serviceKeyHashes: readonly string[]
  /** Null where browsers offer no passkeys. */
  passkeys: { rpId: string; origins: readonly string[] } | null
  /** From where a provider's picture may be loaded. */
  pictureOrigins: readonly string[]
  protection: {
    holdHours: Readonly<Record<HoldReason, number>>
    lockDays: { least: number; most: number }
    allowListHours: number
  }
  /** Which acts need two administrators: `auto` while there are two. */
  administration: { approval: 'auto' | 'always' | 'never' }
  /** Whether webhooks may lead to private addresses, and by http. */
  webhooks: { allowPrivate: boolean }
  /** What a confirmation needs, by type and amount. A type without a rule needs the most. */
  confirmationRules: readonly ConfirmationRule[]
  /** What the operator set, for administrators. */
  variables: readonly SettingDescription[]
  cookie: { secure: boolean; sameSite: 'lax' | 'none'; domain: string | null }
}
