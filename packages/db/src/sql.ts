/** Runs a tagged template with its values as parameters. Prisma's clients and transactions match this type too. */
export type Queryable = { $queryRaw<Rows>(statement: TemplateStringsArray, ...values: unknown[]): Promise<Rows> }

/** The database without Prisma, for hot paths (ADR 024). Timestamps without a zone are UTC. Enums need a cast to text. */
export type Sql = Queryable & {
  /** Commits when `work` resolves. Inside, use only `tx`: statements issued in one turn share a round trip. */
  transaction<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result>
}

/** Builds a statement at startup. `parts` are the texts before, between and after its values. */
export const statementFrom = (...parts: string[]): TemplateStringsArray => Object.assign([...parts], { raw: parts })

type Statement = { text: string; name: string }

const statements = new WeakMap<TemplateStringsArray, Statement>()
let count = 0

/** The text and the prepared-statement name of a template, computed once per place in the source. */
export function getStatement(template: TemplateStringsArray): Statement {
  let statement = statements.get(template)
  if (!statement) {
    count += 1
    statement = { text: template.reduce((text, part, index) => `${text}$${index}${part}`), name: `floorpass_${count}` }
    statements.set(template, statement)
  }
  return statement
}

/** The drivers write a Date in the zone of the process, which a column without a zone drops. */
export const toParameter = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)

/** The type `timestamp` without a zone. The drivers would read it in the zone of the process. */
export const timestampType = 1114
export const readTimestamp = (text: string): Date => new Date(`${text.replace(' ', 'T')}Z`)
