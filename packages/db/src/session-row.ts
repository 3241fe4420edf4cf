import type { Session } from './generated/client.ts'

type Column = {
  name: string
  /**
   * `token`: new with every token. `sign-in`: a new token keeps it, a new sign-in does not. `session`: it stays with the browser, also
   * when a password change replaces the sign-in.
   */
  belongsTo: 'token' | 'sign-in' | 'session'
  /** Whether answers, lists, exports and the operator show it. */
  isShown: boolean
}

/** The session row, described once: statements, renewal, answers, export and the operator's view derive from it. */
const columns = {
  id: { name: 'id', belongsTo: 'token', isShown: false },
  handle: { name: 'handle', belongsTo: 'token', isShown: false },
  userId: { name: 'user_id', belongsTo: 'session', isShown: true },
  expiresAt: { name: 'expires_at', belongsTo: 'token', isShown: true },
  createdAt: { name: 'created_at', belongsTo: 'sign-in', isShown: true },
  updatedAt: { name: 'updated_at', belongsTo: 'token', isShown: true },
  ipAddress: { name: 'ip_address', belongsTo: 'token', isShown: true },
  userAgent: { name: 'user_agent', belongsTo: 'token', isShown: true },
  activeOrganizationId: { name: 'active_organization_id', belongsTo: 'session', isShown: true },
  remember: { name: 'remember', belongsTo: 'session', isShown: false },
  trustedDeviceId: { name: 'trusted_device_id', belongsTo: 'sign-in', isShown: false },
  authenticatedAt: { name: 'authenticated_at', belongsTo: 'sign-in', isShown: false },
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

/** What a new token keeps of the session it replaces. */
export const keptByNewToken = (session: Session): Pick<Session, SignInField | BrowserField> =>
  pick(session, ({ belongsTo }) => belongsTo !== 'token')

/** What a new sign-in in the same browser keeps, such as one after a password change. */
export const keptByNewSignIn = (session: Session): Pick<Session, BrowserField> =>
  pick(session, ({ belongsTo }) => belongsTo === 'session')

/** What answers, lists and exports show. */
export const publicFields = (session: Session): Pick<Session, ShownField> => pick(session, ({ isShown }) => isShown)

/** The columns for a SELECT, under the names of their fields. */
export const sessionSelectList = fields.map((field) => `s.${columns[field].name} AS "${field}"`).join(', ')

/** The session in a row of a SELECT with `sessionSelectList`. */
export const sessionOf = (row: Session): Session => pick(row, () => true)

/** The columns and the values of an INSERT, in one order. */
export const sessionColumnNames: readonly string[] = fields.map((field) => columns[field].name)
export const sessionValues = (session: Session): unknown[] => fields.map((field) => session[field])
