import type { Session } from './generated/client.ts'

type Column = {
  name: string
  /** `token` fields change with every token, `sign-in` fields with every sign-in. `session` fields outlast both. */
  belongsTo: 'token' | 'sign-in' | 'session'
  /** In the answer of get-session, whose fields better-auth fixes. Lists and exports show more: `describeSession`. */
  isShown: boolean
}

/** The only description of the session row. Statements, renewal, responses and exports derive from it. */
const columns = {
  id: { name: 'id', belongsTo: 'token', isShown: false },
  handle: { name: 'handle', belongsTo: 'token', isShown: false },
  userId: { name: 'user_id', belongsTo: 'session', isShown: true },
  expiresAt: { name: 'expires_at', belongsTo: 'token', isShown: true },
  createdAt: { name: 'created_at', belongsTo: 'sign-in', isShown: true },
  updatedAt: { name: 'updated_at', belongsTo: 'token', isShown: true },
  ipAddress: { name: 'ip_address', belongsTo: 'token', isShown: true },
  userAgent: { name: 'user_agent', belongsTo: 'token', isShown: true },
  nickname: { name: 'nickname', belongsTo: 'session', isShown: false },
  activeOrganizationId: { name: 'active_organization_id', belongsTo: 'session', isShown: true },
  remember: { name: 'remember', belongsTo: 'session', isShown: false },
  trustedDeviceId: { name: 'trusted_device_id', belongsTo: 'sign-in', isShown: false },
  authenticatedAt: { name: 'authenticated_at', belongsTo: 'sign-in', isShown: false },
  authenticationMethods: { name: 'authentication_methods', belongsTo: 'session', isShown: false },
  secondFactorAt: { name: 'second_factor_at', belongsTo: 'session', isShown: false },
  passkeyAt: { name: 'passkey_at', belongsTo: 'session', isShown: false },
  impersonatedBy: { name: 'impersonated_by', belongsTo: 'session', isShown: true },
  impersonatedFrom: { name: 'impersonated_from', belongsTo: 'session', isShown: false },
  lastSeenAt: { name: 'last_seen_at', belongsTo: 'token', isShown: false },
} as const satisfies Record<keyof Session, Column>

type Columns = typeof columns
type FieldWith<Property extends keyof Column, Value> = {
  [Field in keyof Columns]: Columns[Field][Property] extends Value ? Field : never
}[keyof Columns]

export type TokenField = FieldWith<'belongsTo', 'token'>
export type SignInField = FieldWith<'belongsTo', 'sign-in'>
export type BrowserField = FieldWith<'belongsTo', 'session'>
export type ShownField = FieldWith<'isShown', true>

const fields = Object.keys(columns) as (keyof Session)[]
const pick = <Field extends keyof Session>(session: Session, isPicked: (column: Column) => boolean) =>
  Object.fromEntries(fields.filter((field) => isPicked(columns[field])).map((field) => [field, session[field]])) as Pick<
    Session,
    Field
  >

/** The fields that a new token keeps from the session it replaces. */
export const keptByNewToken = (session: Session): Pick<Session, SignInField | BrowserField> =>
  pick(session, ({ belongsTo }) => belongsTo !== 'token')

/** The fields that a new sign-in in the same browser keeps, for example after a password change. */
export const keptByNewSignIn = (session: Session): Pick<Session, BrowserField> =>
  pick(session, ({ belongsTo }) => belongsTo === 'session')

export const publicFields = (session: Session): Pick<Session, ShownField> => pick(session, ({ isShown }) => isShown)

export const sessionSelectList = fields.map((field) => `s.${columns[field].name} AS "${field}"`).join(', ')

/** Extracts the session from a row that `sessionSelectList` selected. */
export const toSession = (row: Session): Session => pick(row, () => true)

/** The columns of an INSERT, in the order of `sessionValues`. */
export const sessionColumnNames: readonly string[] = fields.map((field) => columns[field].name)
export const sessionValues = (session: Session): unknown[] => fields.map((field) => session[field])
