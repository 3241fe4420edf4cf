import type { UndoEffects } from './undo-effects.ts'

/** Numbers that texts name, from the policy of the API. */
export type Limits = {
  organizations: number
  passkeys: number
  apiKeyName: number
  allowListEntries: number
  /** How long an attempt to sign in with a provider may take. */
  attemptMinutes: number
  lengths: { email: number; emailLocalPart: number; name: number; slug: number }
  password: { min: number; max: number }
}

type ActivityWords = {
  /** Names of people; an email address. */
  actor: string
  member: string
  invited: string
  /** Names of roles. */
  role: string
  from: string
  to: string
  /** What a person recognizes the key by. */
  apiKey: string
  /** Whether the actor is the member. */
  isOwn: boolean
}

/** The form of the texts of loaders and actions. English has the keys: the pages compare them with the catalogues of the API. */
export type ServerShape = {
  /** Every failure of the catalogue: the wire's own sentences are written for programs. */
  errors: Record<string, string>
  /** Shown beside the field that caused the failure. */
  boxes: Record<string, string>
  fields: Record<string, string>
  /** What happened on an account, in words for its owner. */
  activity: Record<string, string>
  /** The same where it did not succeed. */
  activityFailed: Record<string, string>
  /** The fields that a change may name. */
  changedFields: Record<string, string>
  withFields: (what: string, fields: string) => string
  activityFilter: {
    kinds: { value: '' | 'sign-ins' | 'security' | 'profile' | 'organizations' | 'support'; label: string }[]
    wrongFilter: string
    wrongDay: string
  }
  activityFile: { columns: string[] }
  /** What happened in an organization, for its owners and administrators. */
  organizationActivity: Record<string, (words: ActivityWords) => string>
  /** Stand for a deleted account or an operator, a deleted account, and an invitation that is no longer kept. */
  unnamed: { actor: string; member: string; invited: string }
  /** Shown after the action that led to a page, by the name in its address. */
  notices: Record<string, Record<string, string>>
  /** Marks the way that this browser signed in last. */
  lastUsed: string
  /** After too many attempts, the same for every address: `methods` are those of the service, by name. */
  lockedOut: (methods: { passkeys: boolean; providers: string[] }) => { lead: string; action: string }
  passwordAccepted: string
  landing: object
  /** Links at the bottom of every page. */
  footer: Record<'help' | 'terms' | 'privacy', string>
  /** Under the form that creates an account: before the link, the link, after it. */
  consent: Record<'terms' | 'privacy', string[]>
  formUnreadable: string
  tryAgainIn: (amount: number, unit: 'second' | 'minute' | 'hour') => string
  organizations: (slugs: string) => string
  /** What undoing a change of email does, a sentence each: before it is done and after. */
  undoWill: (effects: UndoEffects, providerName: (id: string) => string) => string[]
  undoDid: (effects: UndoEffects, providerName: (id: string) => string) => string[]
  /** Why a sign-in with a provider failed, and what to do. */
  socialRefusals: Record<string, [happened: string, todo: string]>
}

/** "a, b or c", with the word of the language. */
export const listWith = (items: string[], or: string): string =>
  items.length > 1 ? `${items.slice(0, -1).join(', ')} ${or} ${items.at(-1)}` : items.join()

/** The sentences that apply. */
export const sentences = (items: (string | false)[]): string[] => items.filter((item) => item !== false)
