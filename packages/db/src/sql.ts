/**
 * A statement as a template, its values as parameters. Prisma's client and its transactions are such things too, so that a rule
 * written for this runs in either kind of transaction.
 */
export type Queryable = { $queryRaw<Rows>(statement: TemplateStringsArray, ...values: unknown[]): Promise<Rows> }

/**
 * The database without Prisma between, for the paths that every request or every sign-in takes: a statement costs a fifth of the
 * processor time (ADR 024). A column without a zone is a Date in UTC, in and out; an enum needs a cast to text.
 */
export type Sql = Queryable & {
  /**
   * Commits what `work` did, or nothing of it when it rejects. Inside, use nothing else, as in Prisma's. Statements that are asked for
   * together run one after the other in that order, and share a journey.
   */
  transaction<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result>
}

/** A statement whose text the code composes once, at start. `parts` stand before, between and after its values. */
export const statementFrom = (...parts: string[]): TemplateStringsArray => Object.assign([...parts], { raw: parts })

type Statement = { text: string; name: string }

const statements = new WeakMap<TemplateStringsArray, Statement>()
let count = 0

/** A template of the source is one statement, however often it runs: it gets its text and its name once. */
export function statementOf(template: TemplateStringsArray): Statement {
  let statement = statements.get(template)
  if (!statement) {
    count += 1
    statement = { text: template.reduce((text, part, index) => `${text}$${index}${part}`), name: `floorpass_${count}` }
    statements.set(template, statement)
  }
  return statement
}

/** The drivers write a Date in the process's own zone, which a column without a zone drops. */
export const toParameter = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)

/** The type of a column without a zone: the drivers would read it in the process's own. */
export const timestampType = 1114
export const readTimestamp = (text: string): Date => new Date(`${text.replace(' ', 'T')}Z`)
